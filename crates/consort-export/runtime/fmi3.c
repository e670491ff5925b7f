/* FMI 3.0: Model Exchange and Co-Simulation. */
#include "fmi3Functions.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED(value) (void)(value)
#define REFERENCES const fmi3ValueReference references[], size_t n

/* Refuses a call without an instance, in a wrong phase, or that belongs to the other interface. */
#define BEGIN(phases)                                                                                                 \
    Instance *instance = handle;                                                                                      \
    if (!instance || !allowed(instance, __func__, phases)) return fmi3Error
#define BEGIN_OF(wanted)                                                                                              \
    Instance *instance = handle;                                                                                      \
    if (!is_of(instance, __func__, wanted)) return fmi3Error

static fmi3Status unsupported(fmi3Instance handle, const char *function)
{
    return handle ? (fmi3Status)fail(handle, "%s is not supported by this model", function) : fmi3Error;
}

static void log_text(const Instance *instance, Status status, const char *text)
{
    fmi3LogMessageCallback logger = (fmi3LogMessageCallback)instance->logger;
    const char *category = status == ERROR ? "logStatusError" : "logStatusWarning";
    if (logger) logger(instance->environment, (fmi3Status)status, category, text);
}

const char *fmi3GetVersion(void) { return "3.0"; }

static Instance *instantiate(Kind kind, fmi3String name, fmi3String token, fmi3Boolean logging,
                             fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    Instance *instance = name && token ? instance_new(kind, name) : NULL;
    if (!instance) return NULL;
    instance->log = log_text;
    instance->logger = (void (*)(void))log;
    instance->environment = environment;
    instance->logging = logging;
    if (strcmp(token, model.token) == 0) return instance;
    fail(instance, "the instantiation token `%.100s` is not this model's", token);
    instance_free(instance);
    return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    UNUSED(resources), UNUSED(visible);
    return instantiate(EXCHANGE, name, token, logging, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n_intermediate,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    Instance *instance = instantiate(COSIMULATION, name, token, logging, environment, log);
    UNUSED(resources), UNUSED(visible), UNUSED(early_return), UNUSED(intermediate), UNUSED(update);
    if (!instance || (!event_mode && n_intermediate == 0)) return instance;
    fail(instance, "event mode and intermediate variables are not supported in Co-Simulation");
    instance_free(instance);
    return NULL;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    UNUSED(name), UNUSED(token), UNUSED(resources), UNUSED(visible), UNUSED(logging), UNUSED(environment);
    UNUSED(update), UNUSED(lock), UNUSED(unlock);
    if (log) log(environment, fmi3Error, "logStatusError", "Scheduled Execution is not supported by this model");
    return NULL;
}

void fmi3FreeInstance(fmi3Instance handle) { instance_free(handle); }

fmi3Status fmi3SetDebugLogging(fmi3Instance handle, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    BEGIN(ANY);
    UNUSED(n), UNUSED(categories);
    instance->logging = on;
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance handle, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    BEGIN(IN(INSTANTIATED));
    UNUSED(stop_defined), UNUSED(stop);
    if (tolerance_defined && 0.0 < tolerance && tolerance < 1.0) instance->tolerance = tolerance;
    return (fmi3Status)enter_initialization(instance, start);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance handle)
{
    BEGIN(IN(INITIALIZATION));
    return (fmi3Status)exit_initialization(instance);
}

fmi3Status fmi3EnterEventMode(fmi3Instance handle)
{
    BEGIN_OF(EXCHANGE);
    return (fmi3Status)change_mode(instance, __func__, CONTINUOUS_MODE, EVENT_MODE);
}

fmi3Status fmi3Terminate(fmi3Instance handle)
{
    BEGIN(IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE));
    instance->phase = TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance handle)
{
    BEGIN(ANY);
    instance_reset(instance);
    return fmi3OK;
}

/* Every variable is a scalar. */
static bool is_scalar(Instance *instance, const char *function, size_t n, size_t count)
{
    if (n == count) return true;
    fail(instance, "%s: %lu values for %lu scalars", function, (unsigned long)count, (unsigned long)n);
    return false;
}

fmi3Status fmi3GetFloat64(fmi3Instance handle, REFERENCES, fmi3Float64 values[], size_t count)
{
    BEGIN(ANY);
    if (!is_scalar(instance, __func__, n, count)) return fmi3Error;
    return (fmi3Status)get_values(instance, __func__, references, n, values);
}

fmi3Status fmi3SetFloat64(fmi3Instance handle, REFERENCES, const fmi3Float64 values[], size_t count)
{
    BEGIN(ANY);
    if (!is_scalar(instance, __func__, n, count)) return fmi3Error;
    return (fmi3Status)set_values(instance, __func__, references, n, values);
}

/* All variables are Float64. */
static fmi3Status no_such_type(fmi3Instance handle, const char *function, REFERENCES)
{
    if (handle && n == 0) return fmi3OK;
    if (!handle) return fmi3Error;
    return (fmi3Status)fail(handle, "%s: variable %u is not of this type", function, (unsigned)references[0]);
}

#define NO_ACCESS(NAME)                                                                                               \
    fmi3Status fmi3Get##NAME(fmi3Instance handle, REFERENCES, fmi3##NAME values[], size_t count)                      \
    {                                                                                                                 \
        UNUSED(values), UNUSED(count);                                                                                \
        return no_such_type(handle, __func__, references, n);                                                         \
    }                                                                                                                 \
    fmi3Status fmi3Set##NAME(fmi3Instance handle, REFERENCES, const fmi3##NAME values[], size_t count)                \
    {                                                                                                                 \
        UNUSED(values), UNUSED(count);                                                                                \
        return no_such_type(handle, __func__, references, n);                                                         \
    }
NO_ACCESS(Float32)
NO_ACCESS(Int8)
NO_ACCESS(UInt8)
NO_ACCESS(Int16)
NO_ACCESS(UInt16)
NO_ACCESS(Int32)
NO_ACCESS(UInt32)
NO_ACCESS(Int64)
NO_ACCESS(UInt64)
NO_ACCESS(Boolean)
NO_ACCESS(String)

fmi3Status fmi3GetBinary(fmi3Instance handle, REFERENCES, size_t sizes[], fmi3Binary values[], size_t count)
{
    UNUSED(sizes), UNUSED(values), UNUSED(count);
    return no_such_type(handle, __func__, references, n);
}

fmi3Status fmi3SetBinary(fmi3Instance handle, REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t count)
{
    UNUSED(sizes), UNUSED(values), UNUSED(count);
    return no_such_type(handle, __func__, references, n);
}

fmi3Status fmi3GetClock(fmi3Instance handle, REFERENCES, fmi3Clock values[])
{
    UNUSED(values);
    return no_such_type(handle, __func__, references, n);
}

fmi3Status fmi3SetClock(fmi3Instance handle, REFERENCES, const fmi3Clock values[])
{
    UNUSED(values);
    return no_such_type(handle, __func__, references, n);
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance handle, fmi3ValueReference reference, size_t *count)
{
    UNUSED(reference), UNUSED(count);
    return unsupported(handle, __func__);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance handle, fmi3ValueReference dependent, size_t dependent_elements[],
                                       fmi3ValueReference independents[], size_t independent_elements[],
                                       fmi3DependencyKind kinds[], size_t count)
{
    UNUSED(dependent), UNUSED(dependent_elements), UNUSED(independents), UNUSED(independent_elements);
    UNUSED(kinds), UNUSED(count);
    return unsupported(handle, __func__);
}

fmi3Status fmi3GetFMUState(fmi3Instance handle, fmi3FMUState *state)
{
    Saved *saved;
    Status status;
    BEGIN(ANY);
    if (!is_given(instance, __func__, state)) return fmi3Error;
    saved = *state;
    status = saved_get(instance, __func__, &saved);
    *state = saved;
    return (fmi3Status)status;
}

fmi3Status fmi3SetFMUState(fmi3Instance handle, fmi3FMUState state)
{
    return handle ? (fmi3Status)saved_set(handle, __func__, state) : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance handle, fmi3FMUState *state)
{
    UNUSED(handle);
    if (state) free(*state), *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance handle, fmi3FMUState state, size_t *size)
{
    BEGIN(ANY);
    if (!is_given(instance, __func__, state) || !is_given(instance, __func__, size)) return fmi3Error;
    *size = saved_size(state);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance handle, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    BEGIN(ANY);
    return (fmi3Status)saved_write(instance, __func__, state, bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance handle, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    Saved *saved;
    Status status;
    BEGIN(ANY);
    if (!is_given(instance, __func__, bytes) || !is_given(instance, __func__, state)) return fmi3Error;
    saved = *state;
    status = saved_read(instance, __func__, bytes, size, &saved);
    *state = saved;
    return (fmi3Status)status;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance handle, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    BEGIN(ANY);
    if (!is_scalar(instance, __func__, n_knowns, n_seed)) return fmi3Error;
    if (!is_scalar(instance, __func__, n_unknowns, n_sensitivity)) return fmi3Error;
    return (fmi3Status)directional(instance, __func__, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance handle, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                    size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    BEGIN(ANY);
    if (!is_scalar(instance, __func__, n_unknowns, n_seed)) return fmi3Error;
    if (!is_scalar(instance, __func__, n_knowns, n_sensitivity)) return fmi3Error;
    return (fmi3Status)adjoint(instance, __func__, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

/* There are no structural parameters. */
fmi3Status fmi3EnterConfigurationMode(fmi3Instance handle) { return unsupported(handle, __func__); }

fmi3Status fmi3ExitConfigurationMode(fmi3Instance handle) { return unsupported(handle, __func__); }

/* There are no clocks. */
fmi3Status fmi3GetIntervalDecimal(fmi3Instance handle, REFERENCES, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[])
{
    UNUSED(intervals), UNUSED(qualifiers);
    return no_such_type(handle, __func__, references, n);
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance handle, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[])
{
    UNUSED(counters), UNUSED(resolutions), UNUSED(qualifiers);
    return no_such_type(handle, __func__, references, n);
}

#define NO_DECIMAL(NAME, CONST)                                                                                       \
    fmi3Status NAME##Decimal(fmi3Instance handle, REFERENCES, CONST fmi3Float64 values[])                             \
    {                                                                                                                 \
        UNUSED(values);                                                                                               \
        return no_such_type(handle, __func__, references, n);                                                         \
    }
#define NO_FRACTION(NAME, CONST)                                                                                      \
    fmi3Status NAME##Fraction(fmi3Instance handle, REFERENCES, CONST fmi3UInt64 counters[],                           \
                              CONST fmi3UInt64 resolutions[])                                                         \
    {                                                                                                                 \
        UNUSED(counters), UNUSED(resolutions);                                                                        \
        return no_such_type(handle, __func__, references, n);                                                         \
    }
#define NOT_CONST
NO_DECIMAL(fmi3GetShift, NOT_CONST)
NO_DECIMAL(fmi3SetInterval, const)
NO_DECIMAL(fmi3SetShift, const)
NO_FRACTION(fmi3GetShift, NOT_CONST)
NO_FRACTION(fmi3SetInterval, const)
NO_FRACTION(fmi3SetShift, const)

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance handle)
{
    BEGIN(IN(INITIALIZATION) | IN(EVENT_MODE));
    UNUSED(instance);
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance handle, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
    Status status;
    BEGIN(IN(EVENT_MODE));
    status = update(instance);
    if (status != OK) instance->phase = FAILED;
    *again = instance->is_first;
    *terminate = *nominals_changed = false;
    *states_changed = instance->states_changed;
    *next_defined = instance->next_event < INFINITY;
    *next = *next_defined ? instance->next_event : 0.0;
    return (fmi3Status)status;
}

/* Model Exchange. */
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance handle)
{
    BEGIN_OF(EXCHANGE);
    return (fmi3Status)change_mode(instance, __func__, EVENT_MODE, CONTINUOUS_MODE);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance handle, fmi3Boolean no_set_state_before, fmi3Boolean *event,
                                       fmi3Boolean *terminate)
{
    BEGIN_OF(EXCHANGE);
    UNUSED(no_set_state_before);
    *event = *terminate = false;
    return (fmi3Status)completed_step(instance, __func__);
}

fmi3Status fmi3SetTime(fmi3Instance handle, fmi3Float64 time)
{
    BEGIN_OF(EXCHANGE);
    return (fmi3Status)set_time(instance, __func__, time);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance handle, const fmi3Float64 values[], size_t count)
{
    BEGIN_OF(EXCHANGE);
    return (fmi3Status)set_states(instance, __func__, values, count);
}

#define GET_VECTOR(NAME, FUNCTION)                                                                                    \
    fmi3Status NAME(fmi3Instance handle, fmi3Float64 values[], size_t count)                                          \
    {                                                                                                                 \
        BEGIN_OF(EXCHANGE);                                                                                           \
        return (fmi3Status)FUNCTION(instance, __func__, values, count);                                               \
    }

GET_VECTOR(fmi3GetContinuousStates, get_states)
GET_VECTOR(fmi3GetContinuousStateDerivatives, get_derivatives)
GET_VECTOR(fmi3GetEventIndicators, get_indicators)
GET_VECTOR(fmi3GetNominalsOfContinuousStates, get_nominals)

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance handle, size_t *count)
{
    BEGIN_OF(EXCHANGE);
    if (!is_given(instance, __func__, count)) return fmi3Error;
    *count = model.indicators;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance handle, size_t *count)
{
    BEGIN_OF(EXCHANGE);
    if (!is_given(instance, __func__, count)) return fmi3Error;
    *count = model.states;
    return fmi3OK;
}

/* Co-Simulation. */
fmi3Status fmi3EnterStepMode(fmi3Instance handle) { return unsupported(handle, __func__); }

fmi3Status fmi3GetOutputDerivatives(fmi3Instance handle, REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t count)
{
    UNUSED(references), UNUSED(n), UNUSED(orders), UNUSED(values), UNUSED(count);
    return unsupported(handle, __func__);
}

fmi3Status fmi3DoStep(fmi3Instance handle, fmi3Float64 start, fmi3Float64 length, fmi3Boolean no_set_state_before,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last_time)
{
    Status status;
    BEGIN_OF(COSIMULATION);
    UNUSED(no_set_state_before);
    *event = *terminate = *early = false;
    status = advance(instance, __func__, start, length);
    *last_time = instance->time;
    return (fmi3Status)status;
}

/* The interface this model does not offer. */
fmi3Status fmi3ActivateModelPartition(fmi3Instance handle, fmi3ValueReference clock, fmi3Float64 time)
{
    UNUSED(clock), UNUSED(time);
    return unsupported(handle, __func__);
}
