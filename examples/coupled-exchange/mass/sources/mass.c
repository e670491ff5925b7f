/* A mass that a force moves: der(x) = v, m * der(v) = force. */
#include "consort_model.h"

typedef struct { double time, force, mass, x0, v0, x, v, der_x, der_v; } Values;

/* In the order of the value references in modelDescription.xml. */
static const Variable variables[] = {
    SCALAR(INPUT, FLOAT64, force),
    SCALAR(FIXED, FLOAT64, mass),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(FIXED, FLOAT64, v0),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(OUTPUT, FLOAT64, v),
    SCALAR(LOCAL, FLOAT64, der_x),
    SCALAR(LOCAL, FLOAT64, der_v),
};

static void start(void *values) { *(Values *)values = (Values){ .mass = 1.0 }; }

static void outputs(void *values)
{
    Values *m = values;
    m->der_x = m->v;
    m->der_v = m->force / m->mass;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *m = values;
    m->x = m->x0;
    m->v = m->v0;
    outputs(m);
    return OK;
}

static const Exchange exchange = {
    .state_count = 2, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "mass", .token = "consort-example-exchange-mass", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .outputs = outputs, .exchange = &exchange,
};
