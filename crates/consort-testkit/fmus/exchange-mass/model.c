#include "consort_model.h"

typedef struct { double time, m, k, c, coupling, x0, v0, f, other, x, v, der_x, der_v, pull; } Values;

enum { TIME, M, K, C, COUPLING, X0, V0, F, OTHER, X, V, DER_X, DER_V, PULL };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [M] = SCALAR(FIXED, FLOAT64, m),
    [K] = SCALAR(FIXED, FLOAT64, k),
    [C] = SCALAR(FIXED, FLOAT64, c),
    [COUPLING] = SCALAR(FIXED, FLOAT64, coupling),
    [X0] = SCALAR(FIXED, FLOAT64, x0),
    [V0] = SCALAR(FIXED, FLOAT64, v0),
    [F] = SCALAR(INPUT, FLOAT64, f),
    [OTHER] = SCALAR(INPUT, FLOAT64, other),
    [X] = SCALAR(OUTPUT, FLOAT64, x),
    [V] = SCALAR(OUTPUT, FLOAT64, v),
    [DER_X] = SCALAR(LOCAL, FLOAT64, der_x),
    [DER_V] = SCALAR(LOCAL, FLOAT64, der_v),
    [PULL] = SCALAR(OUTPUT, FLOAT64, pull),
};

static void start(void *values)
{
    Values *o = values;
    o->m = 1.0;
    o->k = 1.0;
}

static void outputs(void *values)
{
    Values *o = values;
    o->pull = o->coupling * (o->x - o->other);
    o->der_x = o->v;
    o->der_v = (o->f - o->k * o->x - o->c * o->v - o->pull) / o->m;
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

static const Exchange exchange = {
    .state_count = 2, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "exchange_mass", .token = "consort-testkit-exchange-mass-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .exchange = &exchange,
};
