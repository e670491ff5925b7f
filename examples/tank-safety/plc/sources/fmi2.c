/* The FMI 2.0 Co-Simulation functions of a model whose variables are all real numbers; see model.h. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Model model;
    bool initializing;
    char name[64];
    const fmi2CallbackFunctions *callbacks;
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
    if (type != fmi2CoSimulation || strcmp(guid, MODEL_GUID) != 0) return NULL;
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
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Instance *)c)->model.time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    ((Instance *)c)->initializing = true;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    Instance *instance = c;
    const char *fault = model_fault(&instance->model);
    if (fault) return fail(instance, __func__, fault);
    model_initialize(&instance->model);
    instance->initializing = false;
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
        if (FIRST_OUTPUT <= references[i]) return fail(instance, __func__, "only inputs and parameters can be set");
        instance->model.value[references[i]] = values[i];
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real start, fmi2Real length, fmi2Boolean no_set_state_before)
{
    (void)no_set_state_before;
    Instance *instance = c;
    instance->model.time = start;
    model_step(&instance->model, length);
    return fmi2OK;
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

/* What this model has no use for. */
#define REFUSE(NAME, ...)                                                                                             \
    fmi2Status NAME(__VA_ARGS__) { return fail(c, __func__, "not supported"); }
#define REFERENCES fmi2Component c, const fmi2ValueReference references[], size_t n

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

REFUSE(fmi2GetInteger, REFERENCES, fmi2Integer values[])
REFUSE(fmi2GetBoolean, REFERENCES, fmi2Boolean values[])
REFUSE(fmi2GetString, REFERENCES, fmi2String values[])
REFUSE(fmi2SetInteger, REFERENCES, const fmi2Integer values[])
REFUSE(fmi2SetBoolean, REFERENCES, const fmi2Boolean values[])
REFUSE(fmi2SetString, REFERENCES, const fmi2String values[])
REFUSE(fmi2GetDirectionalDerivative, REFERENCES, const fmi2ValueReference knowns[], size_t n_knowns,
       const fmi2Real seed[], fmi2Real sensitivity[])
REFUSE(fmi2SetRealInputDerivatives, REFERENCES, const fmi2Integer orders[], const fmi2Real values[])
REFUSE(fmi2GetRealOutputDerivatives, REFERENCES, const fmi2Integer orders[], fmi2Real values[])
REFUSE(fmi2CancelStep, fmi2Component c)
REFUSE(fmi2GetStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
REFUSE(fmi2GetRealStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
REFUSE(fmi2GetIntegerStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
REFUSE(fmi2GetBooleanStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
REFUSE(fmi2GetStringStatus, fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
