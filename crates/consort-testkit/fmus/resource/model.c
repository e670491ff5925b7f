#include "consort_model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct { double time; int32_t number; String text; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(OUTPUT, INT32, number),
    SCALAR(OUTPUT, STRING, text),
};

static void start(void *values) { (void)values; }

/* The file holds a number and a word. */
static Status initialize(const Context *context, void *values)
{
    Values *v = values;
    char path[4096];
    snprintf(path, sizeof path, "%sdata.txt", context->resources);
    FILE *file = fopen(path, "r");
    if (!file) {
        context->log(context, ERROR, "cannot open `%s`: %s", path, strerror(errno));
        return ERROR;
    }
    int items = fscanf(file, "%d %1023s", &v->number, v->text.text);
    fclose(file);
    if (items == 2) return OK;
    context->log(context, ERROR, "`%s` does not hold a number and a word", path);
    return ERROR;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)values, (void)step;
    return OK;
}

const Model model = {
    .identifier = "resource", .token = "consort-testkit-resource-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step,
};
