/* The FMI 2.0 Model Exchange functions of a model without events whose variables are all real numbers. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Model model;
    int initializing;
    const fmi2CallbackFunctions *callbacks;
    char name[64];
} Instance;

static fmi2Status fail(const Instance *instance, const char *function, const char *reason)
{
    const fmi2CallbackFunctions *callbacks = instance->callbacks;
    if (callbacks->logger)
        callbacks->logger(callbacks->componentEnvironment, instance->name, fmi2Error, "logStatusError", "%s: %s",
                          function, reason);
    return fmi2Error;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    if (type != fmi2ModelExchange || strcmp(guid, GUID) != 0) return NULL;
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    strncpy(instance->name, name, sizeof instance->name - 1);
    instance->callbacks = callbacks;
    model_start(&instance->model);
    return instance;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)c, (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    ((Instance *)c)->initializing = 1;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    Instance *instance = c;
    model_initialize(&instance->model);
    instance->initializing = 0;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2Reset(fmi2Component c)
{
    model_start(&((Instance *)c)->model);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    Instance *instance = c;
    if (instance->initializing) model_initialize(&instance->model);
    model_compute(&instance->model);
    for (size_t i = 0; i < n; i++) {
        if (VARIABLES <= references[i]) return fail(instance, __func__, "no such variable");
        values[i] = instance->model.value[references[i]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Real values[])
{
    Instance *instance = c;
    for (size_t i = 0; i < n; i++) {
        if (FIRST_COMPUTED <= references[i]) return fail(instance, __func__, "only inputs and parameters can be set");
        instance->model.value[references[i]] = values[i];
    }
    return fmi2OK;
}

/* Model Exchange: time does not matter, and nothing ever happens but that states change. */
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return (void)time, c ? fmi2OK : fmi2Error; }

fmi2Status fmi2EnterEventMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *event)
{
    (void)c;
    *event = (fmi2EventInfo){0};
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state_before, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate)
{
    (void)c, (void)no_set_state_before;
    *enter_event_mode = *terminate = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    if (n != STATES) return fail(c, __func__, "another number of states");
    memcpy(&((Instance *)c)->model.value[FIRST_STATE], x, n * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    if (n != STATES) return fail(c, __func__, "another number of states");
    memcpy(x, &((Instance *)c)->model.value[FIRST_STATE], n * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t n)
{
    if (n != STATES) return fail(c, __func__, "another number of states");
    model_compute(&((Instance *)c)->model);
    memcpy(derivatives, &((Instance *)c)->model.value[FIRST_DERIVATIVE], n * sizeof *derivatives);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t n)
{
    if (n != STATES) return fail(c, __func__, "another number of states");
    for (size_t i = 0; i < n; i++) nominals[i] = 1.0;
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n)
{
    (void)indicators;
    return n == 0 ? fmi2OK : fail(c, __func__, "there are no event indicators");
}

/* A saved state is a copy of the model. */
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return fail(c, __func__, "out of memory");
    memcpy(*state, &((Instance *)c)->model, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(&((Instance *)c)->model, state, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Model);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < sizeof(Model)) return fail(c, __func__, "the buffer is too small");
    memcpy(bytes, state, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (size != sizeof(Model)) return fail(c, __func__, "not a state of this model");
    if (!*state) *state = malloc(sizeof(Model));
    if (!*state) return fail(c, __func__, "out of memory");
    memcpy(*state, bytes, size);
    return fmi2OK;
}

/* What such a model has no use for. */
#define REFUSE(NAME, ...)                                                                                             \
    fmi2Status NAME(fmi2Component c, __VA_ARGS__) { return fail(c, #NAME, "not supported"); }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define REFERENCES const fmi2ValueReference references[], size_t n

REFUSE(fmi2GetInteger, REFERENCES, fmi2Integer values[])
REFUSE(fmi2GetBoolean, REFERENCES, fmi2Boolean values[])
REFUSE(fmi2GetString, REFERENCES, fmi2String values[])
REFUSE(fmi2SetInteger, REFERENCES, const fmi2Integer values[])
REFUSE(fmi2SetBoolean, REFERENCES, const fmi2Boolean values[])
REFUSE(fmi2SetString, REFERENCES, const fmi2String values[])
REFUSE(fmi2GetDirectionalDerivative, const fmi2ValueReference unknowns[], size_t n_unknowns,
       const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[], fmi2Real sensitivity[])
