#include "consort_model.h"

typedef struct { double time, mu, x0, v0, x, v, der_x, der_v; } Values;

enum { TIME, MU, X0, V0, X, V, DER_X, DER_V };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [MU] = SCALAR(FIXED, FLOAT64, mu),
    [X0] = SCALAR(FIXED, FLOAT64, x0),
    [V0] = SCALAR(FIXED, FLOAT64, v0),
    [X] = SCALAR(OUTPUT, FLOAT64, x),
    [V] = SCALAR(OUTPUT, FLOAT64, v),
    [DER_X] = SCALAR(LOCAL, FLOAT64, der_x),
    [DER_V] = SCALAR(LOCAL, FLOAT64, der_v),
};

static void start(void *values)
{
    Values *o = values;
    o->mu = 1.0;
    o->x0 = 2.0;
}

static void outputs(void *values)
{
    Values *o = values;
    o->der_x = o->v;
    o->der_v = o->mu * ((1.0 - o->x * o->x) * o->v) - o->x;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *o = values;
    o->x = o->x0;
    o->v = o->v0;
    outputs(o);
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    const Values *o = values;
    if ((unknown != DER_X && unknown != DER_V) || (known != X && known != V)) return false;
    double by_x = unknown == DER_X ? 0.0 : -2.0 * o->mu * o->x * o->v - 1.0;
    double by_v = unknown == DER_X ? 1.0 : o->mu * (1.0 - o->x * o->x);
    *sensitivity += (known == X ? by_x : by_v) * *seed;
    return true;
}

static const Exchange exchange = {
    .state_count = 2, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "exchange_vanderpol", .token = "consort-testkit-exchange-vanderpol-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .directional = directional, .exchange = &exchange,
};
