#include "consort_model.h"

#include <math.h>

typedef struct { double time, gravity, restitution, rest_speed, h0, v0, h, v; bool resting; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, gravity),
    SCALAR(FIXED, FLOAT64, restitution),
    SCALAR(FIXED, FLOAT64, rest_speed),
    SCALAR(FIXED, FLOAT64, h0),
    SCALAR(FIXED, FLOAT64, v0),
    SCALAR(OUTPUT, FLOAT64, h),
    SCALAR(OUTPUT, FLOAT64, v),
};

static void start(void *values)
{
    Values *b = values;
    b->gravity = 9.81;
    b->restitution = 0.7;
    b->rest_speed = 0.1;
    b->h0 = 1.0;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *b = values;
    b->h = b->h0;
    b->v = b->v0;
    b->resting = false;
    return OK;
}

/* How long the ball still flies; the parabola is solved exactly. */
static double flight(const Values *b)
{
    return (b->v + sqrt(b->v * b->v + 2.0 * b->gravity * b->h)) / b->gravity;
}

static void fly(Values *b, double length)
{
    b->h += b->v * length - 0.5 * b->gravity * length * length;
    b->v -= b->gravity * length;
}

static void bounce(Values *b)
{
    b->h = 0.0;
    b->v *= -b->restitution;
    b->resting = b->v < b->rest_speed;
    if (b->resting) b->v = 0.0;
}

static Status step(const Context *context, void *values, Step *step)
{
    Values *b = values;
    double left = step->length;
    while (!b->resting) {
        double until_impact = flight(b);
        if (left < until_impact) {
            fly(b, left);
            return OK;
        }
        fly(b, until_impact);
        b->h = 0.0;
        left -= until_impact;
        if (context->event_mode && (context->early_return || left <= 0.0)) {
            step->event = true;
            step->early = 0.0 < left;
            step->reached = step->early ? step->start + step->length - left : step->start + step->length;
            return OK;
        }
        context->log(context, OK, "bounce with %g m/s", b->v);
        bounce(b);
    }
    return OK;
}

/* An event is an impact: on the ground and falling. */
static Status update(const Context *context, void *values, Event *event)
{
    (void)event;
    Values *b = values;
    if (b->h <= 0.0 && b->v < 0.0) {
        context->log(context, OK, "bounce with %g m/s", b->v);
        bounce(b);
    }
    return OK;
}

const Model model = {
    .identifier = "bouncing_ball", .token = "consort-testkit-bouncing-ball-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step, .update = update,
};
