/* FMI 2.0: Model Exchange and Co-Simulation. */
#include "fmi2Functions.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED(value) (void)(value)
#define REFERENCES const fmi2ValueReference references[], size_t n

/* Refuses a call without an instance, in a wrong phase, or that belongs to the other interface. */
#define BEGIN(phases)                                                                                                 \
    Instance *instance = component;                                                                                   \
    if (!instance || !allowed(instance, __func__, phases)) return fmi2Error
#define BEGIN_OF(wanted)                                                                                              \
    Instance *instance = component;                                                                                   \
    if (!is_of(instance, __func__, wanted)) return fmi2Error

static fmi2Status unsupported(fmi2Component component, const char *function)
{
    return component ? (fmi2Status)fail(component, "%s is not supported by this model", function) : fmi2Error;
}

static void log_text(const Instance *instance, Status status, const char *text)
{
    const fmi2CallbackFunctions *callbacks = instance->callbacks;
    const char *category = status == ERROR ? "logStatusError" : "logStatusWarning";
    if (!callbacks || !callbacks->logger) return;
    callbacks->logger(callbacks->componentEnvironment, instance->name, (fmi2Status)status, category, "%s", text);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    Instance *instance;
    UNUSED(resources), UNUSED(visible);
    if (!name || !guid || !callbacks) return NULL;
    instance = instance_new(type == fmi2ModelExchange ? EXCHANGE : COSIMULATION, name);
    if (!instance) return NULL;
    instance->log = log_text;
    instance->callbacks = callbacks;
    instance->logging = logging != fmi2False;
    if (strcmp(guid, model.token) == 0) return instance;
    fail(instance, "the GUID `%.100s` is not this model's", guid);
    instance_free(instance);
    return NULL;
}

void fmi2FreeInstance(fmi2Component component) { instance_free(component); }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    BEGIN(ANY);
    UNUSED(n), UNUSED(categories);
    instance->logging = on != fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)
{
    BEGIN(IN(INSTANTIATED));
    UNUSED(stop_defined), UNUSED(stop);
    if (!isfinite(start)) return (fmi2Status)fail(instance, "%s: %g is no start time", __func__, start);
    if (tolerance_defined && 0.0 < tolerance && tolerance < 1.0) instance->tolerance = tolerance;
    instance->time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    BEGIN(IN(INSTANTIATED));
    return (fmi2Status)enter_initialization(instance, instance->time);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    BEGIN(IN(INITIALIZATION));
    return (fmi2Status)exit_initialization(instance);
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    BEGIN(IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE));
    instance->phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component)
{
    BEGIN(ANY);
    instance_reset(instance);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, REFERENCES, fmi2Real values[])
{
    return component ? (fmi2Status)get_values(component, __func__, references, n, values) : fmi2Error;
}

fmi2Status fmi2SetReal(fmi2Component component, REFERENCES, const fmi2Real values[])
{
    return component ? (fmi2Status)set_values(component, __func__, references, n, values) : fmi2Error;
}

/* All variables are real numbers. */
static fmi2Status no_such_type(fmi2Component component, const char *function, REFERENCES)
{
    if (component && n == 0) return fmi2OK;
    if (!component) return fmi2Error;
    return (fmi2Status)fail(component, "%s: variable %u is not of this type", function, (unsigned)references[0]);
}

#define NO_ACCESS(NAME)                                                                                               \
    fmi2Status fmi2Get##NAME(fmi2Component component, REFERENCES, fmi2##NAME values[])                                \
    {                                                                                                                 \
        UNUSED(values);                                                                                               \
        return no_such_type(component, __func__, references, n);                                                      \
    }                                                                                                                 \
    fmi2Status fmi2Set##NAME(fmi2Component component, REFERENCES, const fmi2##NAME values[])                          \
    {                                                                                                                 \
        UNUSED(values);                                                                                               \
        return no_such_type(component, __func__, references, n);                                                      \
    }
NO_ACCESS(Integer)
NO_ACCESS(Boolean)
NO_ACCESS(String)

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    Saved *saved;
    Status status;
    BEGIN(ANY);
    if (!is_given(instance, __func__, state)) return fmi2Error;
    saved = *state;
    status = saved_get(instance, __func__, &saved);
    *state = saved;
    return (fmi2Status)status;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state)
{
    return component ? (fmi2Status)saved_set(component, __func__, state) : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    UNUSED(component);
    if (state) free(*state), *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size)
{
    BEGIN(ANY);
    if (!is_given(instance, __func__, state) || !is_given(instance, __func__, size)) return fmi2Error;
    *size = saved_size(state);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    BEGIN(ANY);
    return (fmi2Status)saved_write(instance, __func__, state, (unsigned char *)bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    Saved *saved;
    Status status;
    BEGIN(ANY);
    if (!is_given(instance, __func__, bytes) || !is_given(instance, __func__, state)) return fmi2Error;
    saved = *state;
    status = saved_read(instance, __func__, (const unsigned char *)bytes, size, &saved);
    *state = saved;
    return (fmi2Status)status;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    BEGIN(ANY);
    return (fmi2Status)directional(instance, __func__, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

/* Co-Simulation. */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, REFERENCES, const fmi2Integer orders[],
                                       const fmi2Real values[])
{
    UNUSED(references), UNUSED(n), UNUSED(orders), UNUSED(values);
    return unsupported(component, __func__);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, REFERENCES, const fmi2Integer orders[],
                                        fmi2Real values[])
{
    UNUSED(references), UNUSED(n), UNUSED(orders), UNUSED(values);
    return unsupported(component, __func__);
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real start, fmi2Real length, fmi2Boolean no_set_state_before)
{
    BEGIN_OF(COSIMULATION);
    UNUSED(no_set_state_before);
    return (fmi2Status)advance(instance, __func__, start, length);
}

fmi2Status fmi2CancelStep(fmi2Component component) { return unsupported(component, __func__); }

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status *value)
{
    UNUSED(kind), UNUSED(value);
    return unsupported(component, __func__);
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value)
{
    BEGIN_OF(COSIMULATION);
    if (kind != fmi2LastSuccessfulTime) return unsupported(component, __func__);
    *value = instance->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Integer *value)
{
    UNUSED(kind), UNUSED(value);
    return unsupported(component, __func__);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean *value)
{
    BEGIN_OF(COSIMULATION);
    UNUSED(instance);
    if (kind != fmi2Terminated) return unsupported(component, __func__);
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind, fmi2String *value)
{
    UNUSED(kind), UNUSED(value);
    return unsupported(component, __func__);
}

/* Model Exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    BEGIN_OF(EXCHANGE);
    return (fmi2Status)change_mode(instance, __func__, CONTINUOUS_MODE, EVENT_MODE);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    BEGIN_OF(EXCHANGE);
    return (fmi2Status)change_mode(instance, __func__, EVENT_MODE, CONTINUOUS_MODE);
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo *info)
{
    Status status;
    BEGIN(IN(EVENT_MODE));
    status = update(instance);
    if (status != OK) instance->phase = FAILED;
    memset(info, 0, sizeof *info);
    info->newDiscreteStatesNeeded = instance->is_first;
    info->valuesOfContinuousStatesChanged = instance->states_changed;
    info->nextEventTimeDefined = instance->next_event < INFINITY;
    info->nextEventTime = info->nextEventTimeDefined ? instance->next_event : 0.0;
    return (fmi2Status)status;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean no_set_state_before, fmi2Boolean *event,
                                       fmi2Boolean *terminate)
{
    BEGIN_OF(EXCHANGE);
    UNUSED(no_set_state_before);
    *event = *terminate = fmi2False;
    return (fmi2Status)completed_step(instance, __func__);
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    BEGIN_OF(EXCHANGE);
    return (fmi2Status)set_time(instance, __func__, time);
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real values[], size_t count)
{
    BEGIN_OF(EXCHANGE);
    return (fmi2Status)set_states(instance, __func__, values, count);
}

#define GET_VECTOR(NAME, FUNCTION)                                                                                    \
    fmi2Status NAME(fmi2Component component, fmi2Real values[], size_t count)                                         \
    {                                                                                                                 \
        BEGIN_OF(EXCHANGE);                                                                                           \
        return (fmi2Status)FUNCTION(instance, __func__, values, count);                                               \
    }

GET_VECTOR(fmi2GetContinuousStates, get_states)
GET_VECTOR(fmi2GetDerivatives, get_derivatives)
GET_VECTOR(fmi2GetEventIndicators, get_indicators)
GET_VECTOR(fmi2GetNominalsOfContinuousStates, get_nominals)
