/* A spring with a damper between two things. It has no states: its forces follow its inputs at once. */
#include "consort_model.h"

typedef struct { double time, left_x, left_v, right_x, right_v, stiffness, damping, on_left, on_right; } Values;

/* In the order of the value references in modelDescription.xml. */
static const Variable variables[] = {
    SCALAR(INPUT, FLOAT64, left_x),
    SCALAR(INPUT, FLOAT64, left_v),
    SCALAR(INPUT, FLOAT64, right_x),
    SCALAR(INPUT, FLOAT64, right_v),
    SCALAR(FIXED, FLOAT64, stiffness),
    SCALAR(FIXED, FLOAT64, damping),
    SCALAR(OUTPUT, FLOAT64, on_left),
    SCALAR(OUTPUT, FLOAT64, on_right),
};

static void start(void *values) { *(Values *)values = (Values){ .stiffness = 100.0 }; }

static void outputs(void *values)
{
    Values *s = values;
    double pull = s->stiffness * (s->right_x - s->left_x);
    pull += s->damping * (s->right_v - s->left_v);
    s->on_left = pull;
    s->on_right = -pull;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    outputs(values);
    return OK;
}

static const Exchange exchange = { .state_count = 0 };

const Model model = {
    .identifier = "spring", .token = "consort-example-exchange-spring", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .outputs = outputs, .exchange = &exchange,
};
