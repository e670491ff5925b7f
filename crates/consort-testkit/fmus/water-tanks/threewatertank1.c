/* Two tall tanks that are joined by a pipe at their bottom, the first with a source that is switched on for 5 s of every 10,
   the second with an outflow, as 20-sim exports them:

       der(v1) = source - pipe * (h1 - h2),   der(v2) = pipe * (h1 - h2) - drain * sqrt(2 g h2),   h = v / area

   by explicit Euler with steps of 1 ms. */
enum { SOURCE, AREA1, AREA2, PIPE, DRAIN, INFLOW1, LEVEL1, LEVEL2, FLOW, COUNT };

static const double starts[COUNT] = { 0.9, 0.3, 0.2, 1.1, 0.15, 0.0, 0.0, 0.0, 0.0 };

#define RESETS
#define ENVIRONMENT ((void *)1)
#include "glue.h"

static void advance(double *v, double time, double length)
{
    int count = (int)(length * 1000.0 + 0.5);
    if (count < 1) count = 1;
    double step = length / count;
    v[INFLOW1] = fmod(time, 10.0) < 5.0 ? v[SOURCE] : 0.0;
    for (int i = 0; i < count; i++) {
        double across = v[PIPE] * (v[LEVEL1] - v[LEVEL2]);
        v[FLOW] = v[DRAIN] * pow(2.0 * 9.81 * (v[LEVEL2] > 0.0 ? v[LEVEL2] : 0.0), 0.5);
        v[LEVEL1] += step * (v[INFLOW1] - across) / v[AREA1];
        v[LEVEL2] += step * (across - v[FLOW]) / v[AREA2];
    }
}
