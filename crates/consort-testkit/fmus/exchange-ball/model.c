#include "consort_model.h"

#include <float.h>

typedef struct {
    double time, gravity, restitution, rest_speed, h0, v0, h, v, der_h, der_v, z;
    bool resting;
} Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, gravity),
    SCALAR(FIXED, FLOAT64, restitution),
    SCALAR(FIXED, FLOAT64, rest_speed),
    SCALAR(FIXED, FLOAT64, h0),
    SCALAR(FIXED, FLOAT64, v0),
    SCALAR(OUTPUT, FLOAT64, h),
    SCALAR(OUTPUT, FLOAT64, v),
    SCALAR(LOCAL, FLOAT64, der_h),
    SCALAR(LOCAL, FLOAT64, der_v),
    SCALAR(LOCAL, FLOAT64, z),
};

static void start(void *values)
{
    Values *b = values;
    b->gravity = 9.81;
    b->restitution = 0.7;
    b->rest_speed = 0.1;
    b->h0 = 1.0;
}

static void outputs(void *values)
{
    Values *b = values;
    b->der_h = b->resting ? 0.0 : b->v;
    b->der_v = b->resting ? 0.0 : -b->gravity;
    b->z = b->resting ? 1.0 : b->h;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *b = values;
    b->h = b->h0;
    b->v = b->v0;
    b->resting = false;
    outputs(b);
    return OK;
}

/* An event is an impact: on the ground and falling. The ball is left above the ground by the least number, so that
 * the indicator is positive again. */
static Status update(const Context *context, void *values, Event *event)
{
    Values *b = values;
    if (b->resting || 0.0 < b->h || 0.0 <= b->v) return OK;
    context->log(context, OK, "bounce with %g m/s", b->v);
    b->h = DBL_MIN;
    b->v *= -b->restitution;
    b->resting = b->v < b->rest_speed;
    if (b->resting) b->v = 0.0;
    event->states_changed = true;
    return OK;
}

static const Exchange exchange = {
    .state_count = 2, .indicator_count = 1,
    .states = offsetof(Values, h), .derivatives = offsetof(Values, der_h), .indicators = offsetof(Values, z),
};

const Model model = {
    .identifier = "exchange_ball", .token = "consort-testkit-exchange-ball-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .update = update, .exchange = &exchange,
};
