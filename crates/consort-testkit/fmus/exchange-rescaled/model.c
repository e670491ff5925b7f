#include "consort_model.h"

#include <math.h>

typedef struct { double time, rate, x0, x, der_x, scale; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, rate),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(LOCAL, FLOAT64, der_x),
    SCALAR(OUTPUT, FLOAT64, scale),
};

static void start(void *values)
{
    Values *g = values;
    g->rate = 1.0;
    g->x0 = 1.0;
}

static void outputs(void *values)
{
    Values *g = values;
    g->der_x = g->rate * g->x;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *g = values;
    g->x = g->x0;
    g->scale = 1.0;
    outputs(g);
    return OK;
}

static bool outgrown(const Values *g) { return 10.0 * g->scale <= fabs(g->x); }

static bool completed(void *values) { return outgrown(values); }

static Status update(const Context *context, void *values, Event *event)
{
    (void)context;
    Values *g = values;
    event->nominals_changed = outgrown(g);
    while (outgrown(g)) g->scale *= 10.0;
    return OK;
}

static void nominals(const void *values, double *nominals) { nominals[0] = ((const Values *)values)->scale; }

static const Exchange exchange = {
    .state_count = 1, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
    .nominals = nominals, .completed = completed,
};

const Model model = {
    .identifier = "exchange_rescaled", .token = "consort-testkit-exchange-rescaled-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .update = update, .exchange = &exchange,
};
