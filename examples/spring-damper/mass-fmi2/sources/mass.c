/* A mass between a spring to the wall and a spring to something else that moves. */
#include "consort_model.h"

#include <math.h>

static const double SUBSTEP_MAX = 2e-3; /* [s] */

typedef struct {
    double time;
    double force, other_x, other_v;
    double mass, stiffness, damping, coupling_stiffness, x0, v0, longest, barrier;
    double x, v, pull;
} Values;

/* In the order of the value references in modelDescription.xml. */
static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, force),
    SCALAR(INPUT, FLOAT64, other_x),
    SCALAR(INPUT, FLOAT64, other_v),
    SCALAR(FIXED, FLOAT64, mass),
    SCALAR(FIXED, FLOAT64, stiffness),
    SCALAR(FIXED, FLOAT64, damping),
    SCALAR(FIXED, FLOAT64, coupling_stiffness),
    SCALAR(FIXED, FLOAT64, x0),
    SCALAR(FIXED, FLOAT64, v0),
    SCALAR(FIXED, FLOAT64, longest),
    SCALAR(FIXED, FLOAT64, barrier),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(OUTPUT, FLOAT64, v),
    SCALAR(OUTPUT, FLOAT64, pull),
};

static void start(void *values)
{
    *(Values *)values = (Values){ .mass = 1.0, .stiffness = 100.0, .damping = 4.0 };
}

/* What the other is pulled with if it has moved on with its velocity for a while. */
static double pull(const Values *m, double x, double since)
{
    return m->coupling_stiffness * (x - (m->other_x + since * m->other_v));
}

static double acceleration(const Values *m, double x, double v, double since)
{
    double force = m->force - pull(m, x, since);
    return (force - m->stiffness * x - m->damping * v) / m->mass;
}

static Status initialize(const Context *context, void *values)
{
    Values *m = values;
    if (!(0.0 < m->mass)) {
        context->log(context, ERROR, "the mass must be positive, but is %g kg", m->mass);
        return ERROR;
    }
    m->x = m->x0;
    m->v = m->v0;
    m->pull = pull(m, m->x, 0.0);
    return OK;
}

static void runge_kutta(Values *m, double since, double h)
{
    double x = m->x, v = m->v, half = 0.5 * h;
    double v1 = v, a1 = acceleration(m, x, v, since);
    double v2 = v + half * a1, a2 = acceleration(m, x + half * v1, v2, since + half);
    double v3 = v + half * a2, a3 = acceleration(m, x + half * v2, v3, since + half);
    double v4 = v + h * a3, a4 = acceleration(m, x + h * v3, v4, since + h);
    m->x += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    m->v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

/* As much of a step as is accepted: not more than `longest`, and not over the time `barrier`. */
static double accepted(const Values *m, double length)
{
    double to_barrier = m->barrier - m->time, rounding = 1e-9 * length, part = length;
    if (0.0 < m->longest && m->longest + rounding < part) part = m->longest;
    if (rounding < to_barrier && to_barrier + rounding < part) part = to_barrier;
    return part;
}

static Status step(const Context *context, void *values, Step *step)
{
    Values *m = values;
    double part = accepted(m, step->length);
    long count = lround(ceil(part / SUBSTEP_MAX));
    double h = part / (double)count;
    for (long i = 0; i < count; i++) runge_kutta(m, (double)i * h, h);
    m->pull = pull(m, m->x, part);
    if (part == step->length) return OK;
    step->reached = step->start + part;
    step->early = context->early_return;
    if (step->early) return OK;
    context->log(context, DISCARD, "the step is too long");
    return DISCARD;
}

const Model model = {
    .identifier = "mass", .token = "consort-example-mass", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .step = step,
};
