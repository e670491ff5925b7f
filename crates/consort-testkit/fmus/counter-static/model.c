#include "consort_model.h"

/* The fault under test: shared by every instance in the process, saved by none. */
static int32_t calls_in_process;

typedef struct { double time, u, y; int32_t calls; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(OUTPUT, FLOAT64, y),
    SCALAR(OUTPUT, INT32, calls),
};

static void start(void *values) { (void)values; }

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)step;
    Values *v = values;
    calls_in_process++;
    v->calls = calls_in_process;
    v->y = 0.5 * v->y + v->u + (double)calls_in_process;
    return OK;
}

const Model model = {
    .identifier = "counter_static", .token = "consort-testkit-counter-static-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step,
};
