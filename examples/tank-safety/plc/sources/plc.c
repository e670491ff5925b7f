/* A programmable controller that keeps a tank from running over.
 *
 * Like many controllers it keeps part of its state in static data and on the heap, where functions that save the struct
 * of values do not find it. The FMU therefore says that it cannot save its state. */
#include "consort_model.h"

#include <stdlib.h>

#define SAMPLES 8

static const double SCAN = 0.5; /* scan interval [s], whatever the steps are */

static double *samples; /* the last measurements [m], a ring */
static size_t next;
static double waited; /* since the last scan [s] */
static bool is_draining;
static bool has_tripped;

typedef struct {
    double time;
    double measurement, bias;
    double open_at, close_at, trip_at, opening;
    double valve, alarm;
} Values;

/* In the order of the value references in modelDescription.xml. */
static const Variable variables[] = {
    SCALAR(INPUT, FLOAT64, measurement),
    SCALAR(INPUT, FLOAT64, bias),
    SCALAR(FIXED, FLOAT64, open_at),
    SCALAR(FIXED, FLOAT64, close_at),
    SCALAR(FIXED, FLOAT64, trip_at),
    SCALAR(FIXED, FLOAT64, opening),
    SCALAR(OUTPUT, FLOAT64, valve),
    SCALAR(OUTPUT, FLOAT64, alarm),
};

static void start(void *values)
{
    *(Values *)values = (Values){ .open_at = 1.1, .close_at = 0.9, .trip_at = 1.4, .opening = 0.6 };
}

static double measured(const Values *plc) { return plc->measurement + plc->bias; }

static Status initialize(const Context *context, void *values)
{
    Values *plc = values;
    if (!(plc->close_at < plc->open_at)) {
        context->log(context, ERROR, "it must close below the level at which it opens");
        return ERROR;
    }
    free(samples);
    samples = malloc(SAMPLES * sizeof *samples);
    for (size_t i = 0; i < SAMPLES; i++) samples[i] = measured(plc);
    next = 0;
    waited = 0.0;
    is_draining = has_tripped = false;
    plc->valve = plc->alarm = 0.0;
    return OK;
}

static double filtered(double sample)
{
    samples[next] = sample;
    next = (next + 1) % SAMPLES;
    double sum = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) sum += samples[i];
    return sum / SAMPLES;
}

static void scan(Values *plc)
{
    double level = filtered(measured(plc));
    is_draining = is_draining ? plc->close_at < level : plc->open_at < level;
    has_tripped = has_tripped || plc->trip_at < level;
    plc->valve = has_tripped ? 1.0 : is_draining ? plc->opening : 0.0;
    plc->alarm = has_tripped;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    waited += step->length;
    if (SCAN < waited + 1e-9) {
        waited = 0.0;
        scan(values);
    }
    return OK;
}

const Model model = {
    .identifier = "plc", .token = "consort-example-plc-1", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .step = step,
};
