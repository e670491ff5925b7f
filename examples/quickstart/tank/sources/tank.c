/* A water tank with an inlet at the top and a valve at the bottom. */
#include "consort_model.h"

#include <math.h>

static const double GRAVITY = 9.81;     /* [m/s2] */
static const double SUBSTEP_MAX = 0.01; /* [s] */

typedef struct {
    double time;
    double inflow, valve;
    double area, outlet, discharge, initial_level;
    double level, outflow;
} Values;

/* In the order of the value references in modelDescription.xml. */
static const Variable variables[] = {
    SCALAR(INPUT, FLOAT64, inflow),
    SCALAR(INPUT, FLOAT64, valve),
    SCALAR(FIXED, FLOAT64, area),
    SCALAR(FIXED, FLOAT64, outlet),
    SCALAR(FIXED, FLOAT64, discharge),
    SCALAR(FIXED, FLOAT64, initial_level),
    SCALAR(OUTPUT, FLOAT64, level),
    SCALAR(OUTPUT, FLOAT64, outflow),
};

static void start(void *values)
{
    *(Values *)values = (Values){ .area = 1.0, .outlet = 0.01, .discharge = 0.6, .initial_level = 1.0 };
}

/* Torricelli's law; a valve is never more than closed or open. */
static double outflow_at(const Values *tank, double level)
{
    double opening = fmin(fmax(tank->valve, 0.0), 1.0);
    return tank->discharge * tank->outlet * opening * sqrt(2.0 * GRAVITY * fmax(level, 0.0));
}

static double slope_at(const Values *tank, double level)
{
    return (tank->inflow - outflow_at(tank, level)) / tank->area;
}

static Status initialize(const Context *context, void *values)
{
    Values *tank = values;
    if (!(0.0 < tank->area)) {
        context->log(context, ERROR, "the area must be positive, but is %g m2", tank->area);
        return ERROR;
    }
    tank->level = tank->initial_level;
    tank->outflow = outflow_at(tank, tank->level);
    return OK;
}

/* Classical Runge-Kutta with the inputs held. */
static double next_level(const Values *tank, double level, double h)
{
    double k1 = slope_at(tank, level);
    double k2 = slope_at(tank, level + 0.5 * h * k1);
    double k3 = slope_at(tank, level + 0.5 * h * k2);
    double k4 = slope_at(tank, level + h * k3);
    return fmax(level + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), 0.0);
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *tank = values;
    long count = lround(ceil(step->length / SUBSTEP_MAX));
    for (long i = 0; i < count; i++) tank->level = next_level(tank, tank->level, step->length / (double)count);
    tank->outflow = outflow_at(tank, tank->level);
    return OK;
}

const Model model = {
    .identifier = "tank", .token = "consort-example-tank-1", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .step = step,
};
