/* The FMI 3.0 Co-Simulation functions of the linear system: arrays of Float64, and one truth value. */
#include "fmi3Functions.h"
#include "linear.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCES const fmi3ValueReference references[], size_t n

enum { TIME = 0, ARRAY = 1, REACTIVE = ARRAY + ARRAYS };

static const char TOKEN[] = "consort-example-linear-3";

typedef struct {
    Linear linear;
    bool initializing;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static fmi3Status fail(const Instance *instance, const char *message)
{
    if (instance->log) instance->log(instance->environment, fmi3Error, "logStatusError", message);
    return fmi3Error;
}

/* Reference 0 is the time, then come the arrays. NULL if there is no such variable. */
static double *find(Linear *linear, fmi3ValueReference reference, size_t *elements)
{
    *elements = 1;
    return reference == TIME ? &linear->time : linear_array(linear, reference - ARRAY, elements);
}

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi3OK;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n_intermediate,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
    (void)intermediate, (void)n_intermediate, (void)update;
    if (strcmp(token, TOKEN) != 0) return NULL;
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->environment = environment;
    instance->log = log;
    linear_start(&instance->linear);
    return instance;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    Instance *instance = c;
    instance->linear.time = start;
    instance->initializing = true;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    Instance *instance = c;
    linear_initialize(&instance->linear);
    instance->initializing = false;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }

fmi3Status fmi3Reset(fmi3Instance c)
{
    linear_start(&((Instance *)c)->linear);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, REFERENCES, fmi3Float64 values[], size_t count)
{
    Instance *instance = c;
    if (instance->initializing) linear_initialize(&instance->linear);
    for (size_t i = 0, elements, done = 0; i < n; i++, done += elements) {
        const double *place = find(&instance->linear, references[i], &elements);
        if (!place || count - done < elements) return fail(instance, "no such variable, or too few values");
        memcpy(&values[done], place, elements * sizeof *values);
    }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, REFERENCES, const fmi3Float64 values[], size_t count)
{
    Instance *instance = c;
    for (size_t i = 0, elements, done = 0; i < n; i++, done += elements) {
        double *place = find(&instance->linear, references[i], &elements);
        if (!place || references[i] == TIME || ARRAY + Y <= references[i])
            return fail(instance, "only inputs and parameters can be set");
        if (count - done < elements) return fail(instance, "too few values");
        memcpy(place, &values[done], elements * sizeof *values);
    }
    return fmi3OK;
}

fmi3Status fmi3GetBoolean(fmi3Instance c, REFERENCES, fmi3Boolean values[], size_t count)
{
    if (n != 1 || count != 1 || references[0] != REACTIVE) return fail(c, "no such variable");
    values[0] = ((Instance *)c)->linear.reactive;
    return fmi3OK;
}

fmi3Status fmi3SetBoolean(fmi3Instance c, REFERENCES, const fmi3Boolean values[], size_t count)
{
    if (n != 1 || count != 1 || references[0] != REACTIVE) return fail(c, "no such variable");
    ((Instance *)c)->linear.reactive = values[0];
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 start, fmi3Float64 length, fmi3Boolean no_set_state_before,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last_time)
{
    (void)no_set_state_before;
    Instance *instance = c;
    instance->linear.time = start;
    linear_step(&instance->linear, length);
    *event = *terminate = *early = false;
    *last_time = start + length;
    return fmi3OK;
}

/* A saved state is a copy of the system. */
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (!*state) *state = malloc(sizeof(Linear));
    if (!*state) return fail(c, "out of memory");
    memcpy(*state, &((Instance *)c)->linear, sizeof(Linear));
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    memcpy(&((Instance *)c)->linear, state, sizeof(Linear));
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Linear);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(Linear)) return fail(c, "the buffer is too small");
    memcpy(bytes, state, sizeof(Linear));
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size != sizeof(Linear)) return fail(c, "not a state of this model");
    if (!*state) *state = malloc(sizeof(Linear));
    if (!*state) return fail(c, "out of memory");
    memcpy(*state, bytes, size);
    return fmi3OK;
}

/* What this model has no use for. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define REFUSE(NAME, ...)                                                                                             \
    fmi3Status NAME(fmi3Instance c, __VA_ARGS__) { return fail(c, #NAME " is not supported"); }
#define REFUSE_MODE(NAME)                                                                                             \
    fmi3Status NAME(fmi3Instance c) { return fail(c, #NAME " is not supported"); }
#define REFUSE_TYPE(TYPE)                                                                                             \
    REFUSE(fmi3Get##TYPE, REFERENCES, fmi3##TYPE values[], size_t count)                                              \
    REFUSE(fmi3Set##TYPE, REFERENCES, const fmi3##TYPE values[], size_t count)

REFUSE_TYPE(Float32)
REFUSE_TYPE(Int8)
REFUSE_TYPE(UInt8)
REFUSE_TYPE(Int16)
REFUSE_TYPE(UInt16)
REFUSE_TYPE(Int32)
REFUSE_TYPE(UInt32)
REFUSE_TYPE(Int64)
REFUSE_TYPE(UInt64)
REFUSE_TYPE(String)
REFUSE(fmi3GetBinary, REFERENCES, size_t sizes[], fmi3Binary values[], size_t count)
REFUSE(fmi3SetBinary, REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t count)
REFUSE(fmi3GetClock, REFERENCES, fmi3Clock values[])
REFUSE(fmi3SetClock, REFERENCES, const fmi3Clock values[])
REFUSE(fmi3GetIntervalDecimal, REFERENCES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetIntervalFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
       fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetShiftDecimal, REFERENCES, fmi3Float64 shifts[])
REFUSE(fmi3GetShiftFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
REFUSE(fmi3SetIntervalDecimal, REFERENCES, const fmi3Float64 intervals[])
REFUSE(fmi3SetIntervalFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3SetShiftDecimal, REFERENCES, const fmi3Float64 shifts[])
REFUSE(fmi3SetShiftFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3GetNumberOfVariableDependencies, fmi3ValueReference reference, size_t *count)
REFUSE(fmi3GetVariableDependencies, fmi3ValueReference dependent, size_t dependent_elements[],
       fmi3ValueReference independents[], size_t independent_elements[], fmi3DependencyKind kinds[], size_t count)
REFUSE(fmi3GetDirectionalDerivative, const fmi3ValueReference unknowns[], size_t n_unknowns,
       const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
       fmi3Float64 sensitivity[], size_t n_sensitivity)
REFUSE(fmi3GetAdjointDerivative, const fmi3ValueReference unknowns[], size_t n_unknowns,
       const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
       fmi3Float64 sensitivity[], size_t n_sensitivity)
REFUSE(fmi3GetOutputDerivatives, REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[], size_t count)
REFUSE(fmi3UpdateDiscreteStates, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
       fmi3Boolean *states_changed, fmi3Boolean *next_defined, fmi3Float64 *next)
REFUSE_MODE(fmi3EvaluateDiscreteStates)
REFUSE_MODE(fmi3EnterConfigurationMode)
REFUSE_MODE(fmi3ExitConfigurationMode)
REFUSE_MODE(fmi3EnterEventMode)
REFUSE_MODE(fmi3EnterStepMode)
REFUSE_MODE(fmi3EnterContinuousTimeMode)
REFUSE(fmi3CompletedIntegratorStep, fmi3Boolean no_set_state_before, fmi3Boolean *event, fmi3Boolean *terminate)
REFUSE(fmi3SetTime, fmi3Float64 time)
REFUSE(fmi3SetContinuousStates, const fmi3Float64 states[], size_t count)
REFUSE(fmi3GetContinuousStateDerivatives, fmi3Float64 derivatives[], size_t count)
REFUSE(fmi3GetEventIndicators, fmi3Float64 indicators[], size_t count)
REFUSE(fmi3GetContinuousStates, fmi3Float64 states[], size_t count)
REFUSE(fmi3GetNominalsOfContinuousStates, fmi3Float64 nominals[], size_t count)
REFUSE(fmi3GetNumberOfEventIndicators, size_t *count)
REFUSE(fmi3GetNumberOfContinuousStates, size_t *count)
REFUSE(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    return NULL;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3LockPreemptionCallback unlock)
{
    return NULL;
}
