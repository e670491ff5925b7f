#include "consort_model.h"

typedef struct { double time, u, x0, y; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(OUTPUT, FLOAT64, y),
};

static void start(void *values) { (void)values; }

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *v = values;
    v->y = v->x0;
    return OK;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *v = values;
    v->y += step->length * v->u;
    return OK;
}

const Model model = {
    .identifier = "integrator", .token = "consort-testkit-integrator-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step,
};
