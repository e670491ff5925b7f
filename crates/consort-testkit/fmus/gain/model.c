#include "consort_model.h"

typedef struct { double time, u, k, y; } Values;

enum { TIME, U, K, Y };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [U] = SCALAR(INPUT, FLOAT64, u),
    [K] = SCALAR(TUNABLE, FLOAT64, k),
    [Y] = SCALAR(OUTPUT, FLOAT64, y),
};

static void start(void *values) { ((Values *)values)->k = 2.0; }

static void outputs(void *values)
{
    Values *v = values;
    v->y = v->k * v->u;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)values, (void)step;
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    if (unknown != Y || known != U) return false;
    *sensitivity += ((const Values *)values)->k * *seed;
    return true;
}

const Model model = {
    .identifier = "gain", .token = "consort-testkit-gain-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .outputs = outputs, .step = step, .directional = directional,
};
