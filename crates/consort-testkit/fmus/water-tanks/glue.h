/* FMI 2 for Co-Simulation as two well-known generators write it, which is not how the standard has it. The glue of the other
   models is strict; this one is careless in the ways that a file chooses before it includes this one:

   RESETS      fmi2SetupExperiment puts every value back to its start value, as 20-sim does
   ENVIRONMENT what the logger is given in place of the environment, as 20-sim does
   PERIOD      the FMU steps by whole numbers of its own period only, as Overture does

   A file defines COUNT, `starts` and `advance`; a value reference is an index into the values. */

#include "fmi2Functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const fmi2CallbackFunctions *callbacks;
    char name[64];
    double values[COUNT];
    double time;
} Instance;

/* From `time` to `time + length`. */
static void advance(double *values, double time, double length);

static void say(Instance *it, const char *what)
{
#ifdef ENVIRONMENT
    void *environment = ENVIRONMENT;
#else
    void *environment = it->callbacks->componentEnvironment;
#endif
    it->callbacks->logger(environment, it->name, fmi2OK, "log", "%s", what);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[])
{
    (void)c, (void)on, (void)n, (void)names;
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)type, (void)guid, (void)location, (void)visible, (void)logging;
    if (callbacks == NULL || callbacks->allocateMemory == NULL) return NULL;
    Instance *it = callbacks->allocateMemory(1, sizeof *it);
    if (it == NULL) return NULL;
    it->callbacks = callbacks;
    strncpy(it->name, name, sizeof it->name - 1);
    memcpy(it->values, starts, sizeof it->values);
    say(it, "instantiated");
    return it;
}

void fmi2FreeInstance(fmi2Component c)
{
    Instance *it = c;
    if (it != NULL) it->callbacks->freeMemory(it);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    Instance *it = c;
    it->time = start;
#ifdef RESETS
    memcpy(it->values, starts, sizeof it->values);
#endif
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    say(c, "initializing");
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    say(c, "terminated");
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    Instance *it = c;
    memcpy(it->values, starts, sizeof it->values);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    Instance *it = c;
    for (size_t i = 0; i < n; i++) value[i] = it->values[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    Instance *it = c;
    for (size_t i = 0; i < n; i++) it->values[vr[i]] = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[])
{
    Instance *it = c;
    for (size_t i = 0; i < n; i++) value[i] = it->values[vr[i]] != 0.0;
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[])
{
    Instance *it = c;
    for (size_t i = 0; i < n; i++) it->values[vr[i]] = value[i] ? 1.0 : 0.0;
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean final)
{
    (void)final;
    Instance *it = c;
#ifdef PERIOD
    double periods = length / PERIOD;
    if (periods < 0.5 || fabs(periods - (double)(long)(periods + 0.5)) > 1e-6) {
        say(it, "a step must be a whole number of periods");
        return fmi2Error;
    }
#endif
    advance(it->values, time, length);
    it->time = time + length;
    return fmi2OK;
}

/* What these generators have as symbols only. */
#define NONE(name, ...)                                                                                                \
    fmi2Status name(__VA_ARGS__) { return fmi2Error; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NONE(fmi2GetInteger, fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[])
NONE(fmi2SetInteger, fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[])
NONE(fmi2GetString, fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[])
NONE(fmi2SetString, fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[])
NONE(fmi2GetFMUstate, fmi2Component c, fmi2FMUstate *state)
NONE(fmi2SetFMUstate, fmi2Component c, fmi2FMUstate state)
NONE(fmi2FreeFMUstate, fmi2Component c, fmi2FMUstate *state)
NONE(fmi2SerializedFMUstateSize, fmi2Component c, fmi2FMUstate state, size_t *size)
NONE(fmi2SerializeFMUstate, fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
NONE(fmi2DeSerializeFMUstate, fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
NONE(fmi2GetDirectionalDerivative, fmi2Component c, const fmi2ValueReference of[], size_t n,
     const fmi2ValueReference by[], size_t m, const fmi2Real seed[], fmi2Real value[])
NONE(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
     const fmi2Real value[])
NONE(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[],
     fmi2Real value[])
NONE(fmi2CancelStep, fmi2Component c)
NONE(fmi2GetStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
NONE(fmi2GetRealStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
NONE(fmi2GetIntegerStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
NONE(fmi2GetBooleanStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
NONE(fmi2GetStringStatus, fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
