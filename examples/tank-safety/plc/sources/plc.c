#include "model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* As controllers often are: what it remembers lies in static data and on the heap, where nobody finds it. The FMU
   has no functions to save its state. */
#define SAMPLES 8

static const double SCAN = 0.5; /* how often it looks [s], whatever the steps are */

static double *samples; /* the last measurements [m], a ring */
static size_t next;
static double waited; /* since it looked last [s] */
static bool is_draining;
static bool has_tripped;

void model_start(Model *plc)
{
    *plc = (Model){ .value = { [OPEN_AT] = 1.1, [CLOSE_AT] = 0.9, [TRIP_AT] = 1.4, [OPENING] = 0.6 } };
}

const char *model_fault(const Model *plc)
{
    return plc->value[CLOSE_AT] < plc->value[OPEN_AT] ? NULL : "it must close below the level at which it opens";
}

static double measured(const Model *plc) { return plc->value[MEASUREMENT] + plc->value[BIAS]; }

void model_initialize(Model *plc)
{
    free(samples);
    samples = malloc(SAMPLES * sizeof *samples);
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = measured(plc);
    next = 0;
    waited = 0.0;
    is_draining = has_tripped = false;
    plc->value[VALVE] = plc->value[ALARM] = 0.0;
}

static double filtered(double sample)
{
    samples[next] = sample;
    next = (next + 1) % SAMPLES;
    double sum = 0.0;
    for (size_t i = 0; i < SAMPLES; i++)
        sum += samples[i];
    return sum / SAMPLES;
}

static void scan(Model *plc)
{
    const double *v = plc->value;
    double level = filtered(measured(plc));
    is_draining = is_draining ? v[CLOSE_AT] < level : v[OPEN_AT] < level;
    has_tripped = has_tripped || v[TRIP_AT] < level;
    plc->value[VALVE] = has_tripped ? 1.0 : is_draining ? v[OPENING] : 0.0;
    plc->value[ALARM] = has_tripped;
}

void model_step(Model *plc, double length)
{
    plc->time += length;
    waited += length;
    if (SCAN < waited + 1e-9) {
        waited = 0.0;
        scan(plc);
    }
}
