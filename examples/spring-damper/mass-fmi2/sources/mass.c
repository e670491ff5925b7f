#include "mass.h"

#include <math.h>

static const double SUBSTEP_MAX = 2e-3; /* [s] */

void mass_start(Mass *mass) { *mass = (Mass){ .value = { [MASS] = 1.0, [STIFFNESS] = 100.0, [DAMPING] = 4.0 } }; }

/* What the other is pulled with if it has moved on with its velocity for a while. */
static double pull(const double *value, double x, double since)
{
    return value[COUPLING_STIFFNESS] * (x - (value[OTHER_X] + since * value[OTHER_V]));
}

static double acceleration(const double *value, double x, double v, double since)
{
    double force = value[FORCE] - pull(value, x, since);
    return (force - value[STIFFNESS] * x - value[DAMPING] * v) / value[MASS];
}

void mass_initialize(Mass *mass)
{
    double *value = mass->value;
    value[X] = value[X0];
    value[V] = value[V0];
    value[PULL] = pull(value, value[X], 0.0);
}

static void runge_kutta(double *value, double since, double h)
{
    double x = value[X], v = value[V], half = 0.5 * h;
    double v1 = v, a1 = acceleration(value, x, v, since);
    double v2 = v + half * a1, a2 = acceleration(value, x + half * v1, v2, since + half);
    double v3 = v + half * a2, a3 = acceleration(value, x + half * v2, v3, since + half);
    double v4 = v + h * a3, a4 = acceleration(value, x + h * v3, v4, since + h);
    value[X] += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    value[V] += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

/* As much of a step as is accepted: not more than `longest`, and not over the time `barrier`. */
static double accepted(const Mass *mass, double length)
{
    double longest = mass->value[LONGEST], to_barrier = mass->value[BARRIER] - mass->time;
    double rounding = 1e-9 * length, part = length;
    if (0.0 < longest && longest + rounding < part) part = longest;
    if (rounding < to_barrier && to_barrier + rounding < part) part = to_barrier;
    return part;
}

bool mass_step(Mass *mass, double length)
{
    double *value = mass->value, part = accepted(mass, length);
    long count = lround(ceil(part / SUBSTEP_MAX));
    double h = part / (double)count;
    for (long i = 0; i < count; i++) runge_kutta(value, (double)i * h, h);
    value[PULL] = pull(value, value[X], part);
    mass->time += part;
    return part == length;
}
