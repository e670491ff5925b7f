#include "model.h"

#include <math.h>
#include <stddef.h>

static const double GRAVITY = 9.81;     /* [m/s2] */
static const double SUBSTEP_MAX = 0.01; /* [s] */

void model_start(Model *tank)
{
    *tank = (Model){ .value = { [AREA] = 1.0, [OUTLET] = 0.01, [DISCHARGE] = 0.6, [INITIAL_LEVEL] = 1.0 } };
}

const char *model_fault(const Model *tank)
{
    return 0.0 < tank->value[AREA] ? NULL : "the area must be positive";
}

/* Torricelli's law; a valve is never more than closed or open. */
static double outflow_at(const Model *tank, double level)
{
    const double *v = tank->value;
    double opening = fmin(fmax(v[VALVE], 0.0), 1.0);
    return v[DISCHARGE] * v[OUTLET] * opening * sqrt(2.0 * GRAVITY * fmax(level, 0.0));
}

static double slope_at(const Model *tank, double level)
{
    return (tank->value[INFLOW] - outflow_at(tank, level)) / tank->value[AREA];
}

void model_initialize(Model *tank)
{
    tank->value[LEVEL] = tank->value[INITIAL_LEVEL];
    tank->value[OUTFLOW] = outflow_at(tank, tank->value[LEVEL]);
}

/* Classical Runge-Kutta with the inputs held. */
static double next_level(const Model *tank, double level, double h)
{
    double k1 = slope_at(tank, level);
    double k2 = slope_at(tank, level + 0.5 * h * k1);
    double k3 = slope_at(tank, level + 0.5 * h * k2);
    double k4 = slope_at(tank, level + h * k3);
    return fmax(level + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), 0.0);
}

void model_step(Model *tank, double length)
{
    long count = lround(ceil(length / SUBSTEP_MAX));
    for (long i = 0; i < count; i++)
        tank->value[LEVEL] = next_level(tank, tank->value[LEVEL], length / (double)count);
    tank->value[OUTFLOW] = outflow_at(tank, tank->value[LEVEL]);
    tank->time += length;
}
