/* The third tank, its valve and the puddle that it drains into, as 20-sim exports them:

       der(v) = inFlow - valveControl * drain * sqrt(2 g h),   h = v / area

   by explicit Euler with steps of 1 ms. */
enum { AREA, DRAIN, INFLOW, VALVE, LEVEL, OUTFLOW, PUDDLE, COUNT };

static const double starts[COUNT] = { 1.0, 0.35, 0.0, 0.0, 0.0, 0.0, 0.0 };

#define RESETS
#define ENVIRONMENT ((void *)1)
#include "glue.h"

static void advance(double *v, double time, double length)
{
    (void)time;
    int count = (int)(length * 1000.0 + 0.5);
    if (count < 1) count = 1;
    double step = length / count;
    for (int i = 0; i < count; i++) {
        v[OUTFLOW] = v[VALVE] * v[DRAIN] * pow(2.0 * 9.81 * (v[LEVEL] > 0.0 ? v[LEVEL] : 0.0), 0.5);
        v[LEVEL] += step * (v[INFLOW] - v[OUTFLOW]) / v[AREA];
        v[PUDDLE] += step * v[OUTFLOW];
    }
}
