#include "consort_model.h"

#include <float.h>

typedef struct { double time, x0, factor, x, y; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(FIXED, FLOAT64, factor),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(OUTPUT, FLOAT64, y),
};

static void start(void *values)
{
    Values *v = values;
    v->x0 = 1e-307;
    v->factor = 0.5;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *v = values;
    v->x = v->x0;
    v->y = v->x / DBL_MIN;
    return OK;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)step;
    Values *v = values;
    v->x *= v->factor;
    v->y = v->x / DBL_MIN;
    return OK;
}

const Model model = {
    .identifier = "fastmath", .token = "consort-testkit-fastmath-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step,
};
