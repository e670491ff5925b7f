/* A controller that opens the valve at the highest level and closes it at the lowest, as Overture exports it from VDM: it looks
   at the level every 10 ms and at no other time, and cannot be saved. */
enum { HIGHEST, LOWEST, LEVEL, VALVE, COUNT };

static const double starts[COUNT] = { 2.0, 1.0, 0.0, 0.0 };

#define PERIOD 0.01
#include "glue.h"

static void advance(double *v, double time, double length)
{
    (void)time, (void)length;
    /* The input is held during a step: looking at it once is as good as many times. */
    if (v[LEVEL] >= v[HIGHEST]) v[VALVE] = 1.0;
    if (v[LEVEL] <= v[LOWEST]) v[VALVE] = 0.0;
}
