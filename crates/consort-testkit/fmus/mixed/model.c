#include "consort_model.h"

#include <string.h>

enum { PERIOD = 100 };
enum { FILLING = 1, DRAINING = 2 };

typedef struct {
    double time, u;
    int32_t before;
    double y, rate;
    int32_t count;
    bool above;
    int64_t mode;
    int32_t steps;
    String message;
} Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(INPUT, INT32, before),
    SCALAR(OUTPUT, FLOAT64, y),
    SCALAR(OUTPUT, FLOAT64, rate),
    SCALAR(OUTPUT, INT32, count),
    SCALAR(OUTPUT, BOOLEAN, above),
    SCALAR(OUTPUT, STRING, message),
    SCALAR(OUTPUT, ENUMERATION, mode),
};

static void enter(Values *v, int64_t mode)
{
    v->mode = mode;
    strcpy(v->message.text, mode == FILLING ? "filling towards 1" : "draining towards 0");
}

static void start(void *values) { enter(values, FILLING); }

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *v = values;
    v->rate = v->u + (v->mode == FILLING ? 1.0 : 0.0) - v->y;
    v->y += step->length * v->rate;
    v->above = 0.5 < v->y;
    v->steps++;
    v->count = v->steps + v->before;
    if (v->steps % PERIOD == 0) enter(v, v->mode == FILLING ? DRAINING : FILLING);
    return OK;
}

const Model model = {
    .identifier = "mixed", .token = "consort-testkit-mixed-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step,
};
