#include "consort_model.h"

typedef struct { double time, k, x0, x, der_x; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, k),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(LOCAL, FLOAT64, der_x),
};

static void start(void *values)
{
    Values *d = values;
    d->k = 1.0;
    d->x0 = 1.0;
}

static void outputs(void *values)
{
    Values *d = values;
    d->der_x = -d->k * d->x;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *d = values;
    d->x = d->x0;
    outputs(d);
    return OK;
}

/* One explicit Euler step. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *d = values;
    d->x += step->length * (-d->k * d->x);
    return OK;
}

static const Exchange exchange = {
    .state_count = 1, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "dahlquist", .token = "consort-testkit-dahlquist-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .step = step, .exchange = &exchange,
};
