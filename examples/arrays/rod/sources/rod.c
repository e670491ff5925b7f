#include "rod.h"

#include <math.h>
#include <string.h>

void rod_start(Rod *rod)
{
    memset(rod, 0, sizeof *rod);
    rod->cells = 5;
    rod->capacity = 50.0;
    rod->conductance = 2.0;
    rod->loss = 0.1;
    rod->ambient = 293.15;
    rod->initial = 293.15;
}

static void update_mean(Rod *rod)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < rod->cells; i++) sum += rod->temperature[i];
    rod->mean = sum / (double)rod->cells;
}

void rod_initialize(Rod *rod)
{
    for (uint64_t i = 0; i < rod->cells; i++) rod->temperature[i] = rod->initial;
    update_mean(rod);
}

/* Heat that flows into a cell [W]; the ends have one neighbor only. */
static double heat_into(const Rod *rod, uint64_t i)
{
    const double *t = rod->temperature;
    double heat = rod->heating[i] + rod->loss * (rod->ambient - t[i]);
    if (0 < i) heat += rod->conductance * (t[i - 1] - t[i]);
    if (i + 1 < rod->cells) heat += rod->conductance * (t[i + 1] - t[i]);
    return heat;
}

static void substep(Rod *rod, double h)
{
    double heat[CELLS_MAX];
    for (uint64_t i = 0; i < rod->cells; i++) heat[i] = heat_into(rod, i);
    for (uint64_t i = 0; i < rod->cells; i++) rod->temperature[i] += h * heat[i] / rod->capacity;
}

/* Explicit Euler; a tenth of the fastest time constant keeps it stable and accurate. */
void rod_step(Rod *rod, double length)
{
    double fastest = rod->capacity / (4.0 * rod->conductance + rod->loss);
    long count = lround(ceil(length / (0.1 * fastest)));
    for (long i = 0; i < count; i++) substep(rod, length / (double)count);
    update_mean(rod);
    rod->time += length;
}
