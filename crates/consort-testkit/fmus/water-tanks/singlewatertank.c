/* One tank with a constant inflow and a valve in its drain, as 20-sim exports it:

       der(volume) = inflow - valve * drain * sqrt(2 g level),   level = volume / area

   by explicit Euler with steps of 10 ms. */
enum { INFLOW, AREA, GRAVITY, DRAIN, START, VALVE, LEVEL, VOLUME, OUTFLOW, COUNT };

static const double starts[COUNT] = { 0.25, 1.5, 9.81, 0.12, 1.0, 0.0, 1.0, 1.5, 0.0 };

#define RESETS
#define ENVIRONMENT ((void *)1)
#include "glue.h"

enum { SUBSTEPS_PER_SECOND = 100 };

static void advance(double *v, double time, double length)
{
    /* The first step begins with the volume that the parameters ask for. */
    if (time == 0.0) v[VOLUME] = v[START] * v[AREA];
    int count = (int)(length * SUBSTEPS_PER_SECOND + 0.5);
    if (count < 1) count = 1;
    double step = length / count;
    for (int i = 0; i < count; i++) {
        v[LEVEL] = v[VOLUME] / v[AREA];
        double speed = v[LEVEL] > 0.0 ? pow(2.0 * v[GRAVITY] * v[LEVEL], 0.5) : 0.0;
        v[OUTFLOW] = v[VALVE] * v[DRAIN] * speed;
        v[VOLUME] += step * (v[INFLOW] - v[OUTFLOW]);
    }
    v[LEVEL] = v[VOLUME] / v[AREA];
}
