#include "consort_model.h"

#include <math.h>

static const double SUBSTEP_MAX = 1e-3;

typedef struct { double time, force, mass, damping, stiffness, x0, v0, x, v, a; } Values;

enum { TIME, FORCE, MASS, DAMPING, STIFFNESS, X0, V0, X, V, A };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [FORCE] = SCALAR(INPUT, FLOAT64, force),
    [MASS] = SCALAR(FIXED, FLOAT64, mass),
    [DAMPING] = SCALAR(TUNABLE, FLOAT64, damping),
    [STIFFNESS] = SCALAR(TUNABLE, FLOAT64, stiffness),
    [X0] = SCALAR(FIXED, FLOAT64, x0),
    [V0] = SCALAR(FIXED, FLOAT64, v0),
    [X] = SCALAR(OUTPUT, FLOAT64, x),
    [V] = SCALAR(OUTPUT, FLOAT64, v),
    [A] = SCALAR(OUTPUT, FLOAT64, a),
};

static void start(void *values)
{
    Values *v = values;
    v->mass = 1.0;
    v->damping = 0.1;
    v->stiffness = 4.0;
    v->x0 = 1.0;
}

static double acceleration(const Values *o, double x, double v)
{
    return (o->force - o->damping * v - o->stiffness * x) / o->mass;
}

static void outputs(void *values)
{
    Values *o = values;
    o->a = acceleration(o, o->x, o->v);
}

static Status initialize(const Context *context, void *values)
{
    Values *o = values;
    if (!(0.0 < o->mass)) {
        context->log(context, ERROR, "the mass must be positive, but is %g kg", o->mass);
        return ERROR;
    }
    o->x = o->x0;
    o->v = o->v0;
    outputs(o);
    return OK;
}

static void runge_kutta(Values *o, double h)
{
    double x1 = o->v, v1 = acceleration(o, o->x, o->v);
    double x2 = o->v + 0.5 * h * v1, v2 = acceleration(o, o->x + 0.5 * h * x1, x2);
    double x3 = o->v + 0.5 * h * v2, v3 = acceleration(o, o->x + 0.5 * h * x2, x3);
    double x4 = o->v + h * v3, v4 = acceleration(o, o->x + h * x3, x4);
    o->x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4);
    o->v += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    long count = lround(ceil(step->length / SUBSTEP_MAX));
    for (long i = 0; i < count; i++) runge_kutta(values, step->length / (double)count);
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    if (unknown < X || A < unknown || known != FORCE) return false;
    if (unknown == A) *sensitivity += *seed / ((const Values *)values)->mass;
    return true;
}

const Model model = {
    .identifier = "oscillator", .token = "consort-testkit-oscillator-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .step = step, .directional = directional,
};
