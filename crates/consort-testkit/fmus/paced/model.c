#include "consort_instance.h"

#include <math.h>

/* What is wrong with the answer; chosen by the parameter `fault`. */
enum { NOTHING, NOT_A_NUMBER, NOTHING_LEFT, BACKWARDS, UNBOUNDED, UNWRITTEN, DISCARDS, FAILS };

#ifndef STEP_MAX
#define STEP_MAX fmi2GetMaxStepsize
#endif

typedef struct { double time, slow, fast, y; int32_t fault; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, slow),
    SCALAR(FIXED, FLOAT64, fast),
    SCALAR(OUTPUT, FLOAT64, y),
    SCALAR(TUNABLE, INT32, fault),
};

static void start(void *values)
{
    Values *v = values;
    v->slow = 0.1;
    v->fast = 0.03;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    ((Values *)values)->y = step->start + step->length;
    return OK;
}

/* Not of the standard: how long the next step may be. */
__attribute__((visibility("default"))) Status STEP_MAX(void *component, double *size);
Status STEP_MAX(void *component, double *size)
{
    Instance *instance = component;
    if (!allowed(instance, __func__, IN(STEP_MODE))) return ERROR;
    const Values *v = instance->values;
    switch (v->fault) {
    case NOT_A_NUMBER: *size = NAN; break;
    case NOTHING_LEFT: *size = 0; break;
    case BACKWARDS: *size = -0.5; break;
    case UNBOUNDED: *size = INFINITY; break;
    case UNWRITTEN: break;
    case DISCARDS: return DISCARD;
    case FAILS: return fail(instance, "the longest step is not known");
    default: *size = v->y < 1 - 1e-9 ? v->slow : v->fast;
    }
    return OK;
}

const Model model = {
    .identifier = "paced", .token = "consort-testkit-paced-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step,
};
