/* Heat conduction in a rod of n cells in a row, each of which can be heated. */
#include "consort_model.h"

#include <math.h>

enum { CELLS_MAX = 64 };

typedef struct {
    double time;
    uint64_t cells;
    double heating[CELLS_MAX];     /* [W] per cell */
    double capacity;               /* [J/K] per cell */
    double conductance;            /* [W/K] between neighbors */
    double loss;                   /* [W/K] from each cell to the surroundings */
    double ambient;                /* [K] */
    double initial;                /* [K] of all cells at the start */
    double temperature[CELLS_MAX]; /* [K] per cell */
    double mean;                   /* [K] */
} Values;

/* The value references of modelDescription.xml. */
enum { TIME, CELLS, HEATING, CAPACITY, CONDUCTANCE, LOSS, AMBIENT, INITIAL, TEMPERATURE, MEAN };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [CELLS] = SCALAR(STRUCTURAL, UINT64, cells),
    [HEATING] = ARRAY(INPUT, FLOAT64, heating, 5),
    [CAPACITY] = SCALAR(FIXED, FLOAT64, capacity),
    [CONDUCTANCE] = SCALAR(FIXED, FLOAT64, conductance),
    [LOSS] = SCALAR(FIXED, FLOAT64, loss),
    [AMBIENT] = SCALAR(FIXED, FLOAT64, ambient),
    [INITIAL] = SCALAR(FIXED, FLOAT64, initial),
    [TEMPERATURE] = ARRAY(OUTPUT, FLOAT64, temperature, 5),
    [MEAN] = SCALAR(OUTPUT, FLOAT64, mean),
};

static void start(void *values)
{
    Values *rod = values;
    rod->cells = 5;
    rod->capacity = 50.0;
    rod->conductance = 2.0;
    rod->loss = 0.1;
    rod->ambient = 293.15;
    rod->initial = 293.15;
}

/* The number of cells decides how long these arrays are. */
static size_t count(const void *values, uint32_t reference)
{
    return reference == HEATING || reference == TEMPERATURE ? ((const Values *)values)->cells : 0;
}

/* Keeps the number of cells within what the struct has room for. */
static void configure(void *values)
{
    Values *rod = values;
    if (rod->cells < 1) rod->cells = 1;
    if (CELLS_MAX < rod->cells) rod->cells = CELLS_MAX;
}

static void update_mean(Values *rod)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < rod->cells; i++) sum += rod->temperature[i];
    rod->mean = sum / (double)rod->cells;
}

static Status initialize(const Context *context, void *values)
{
    Values *rod = values;
    if (!(0.0 < rod->capacity)) {
        context->log(context, ERROR, "the heat capacity must be positive, but is %g J/K", rod->capacity);
        return ERROR;
    }
    for (uint64_t i = 0; i < rod->cells; i++) rod->temperature[i] = rod->initial;
    update_mean(rod);
    return OK;
}

/* Heat that flows into a cell [W]; the ends have one neighbor only. */
static double heat_into(const Values *rod, uint64_t i)
{
    const double *t = rod->temperature;
    double heat = rod->heating[i] + rod->loss * (rod->ambient - t[i]);
    if (0 < i) heat += rod->conductance * (t[i - 1] - t[i]);
    if (i + 1 < rod->cells) heat += rod->conductance * (t[i + 1] - t[i]);
    return heat;
}

static void substep(Values *rod, double h)
{
    double heat[CELLS_MAX];
    for (uint64_t i = 0; i < rod->cells; i++) heat[i] = heat_into(rod, i);
    for (uint64_t i = 0; i < rod->cells; i++) rod->temperature[i] += h * heat[i] / rod->capacity;
}

/* Explicit Euler; a tenth of the fastest time constant keeps it stable and accurate. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *rod = values;
    double fastest = rod->capacity / (4.0 * rod->conductance + rod->loss);
    long substeps = lround(ceil(step->length / (0.1 * fastest)));
    for (long i = 0; i < substeps; i++) substep(rod, step->length / (double)substeps);
    update_mean(rod);
    return OK;
}

const Model model = {
    .identifier = "rod", .token = "consort-example-rod-1", .size = sizeof(Values), ROWS(variables),
    .start = start, .configure = configure, .count = count, .initialize = initialize, .step = step,
};
