/* FMI 2.0, not strict: every call is taken as it comes, and lied about as asked. */
#include "fmi2Functions.h"
#include "liar.h"

#include <stdlib.h>
#include <string.h>

#define CALL(function)                                                                                                 \
    Liar *liar = component;                                                                                           \
    begin(liar, function);                                                                                            \
    int early_status = instead(liar, function);                                                                       \
    if (early_status != NOT_DUE) return (fmi2Status)early_status
#define COUNTED(function, count)                                                                                      \
    CALL(function);                                                                                                   \
    int zero_status = zero_count(liar, function, count);                                                              \
    if (zero_status != NOT_DUE) return (fmi2Status)zero_status
#define DONE(function) return (fmi2Status)after(liar, function, OK)
#define REFERENCES const fmi2ValueReference references[], size_t n

static fmi2CallbackLogger logger_of(void (*raw)(void)) { return (fmi2CallbackLogger)raw; }

/* The importer's function, for whichever instance logs; all of one importer have the same. */
static void (*importer)(void);

static void log_line(void *environment, const char *name, int status, const char *category, const char *message)
{
    if (importer) logger_of(importer)(environment, name, (fmi2Status)status, category, message);
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)guid, (void)resources, (void)visible, (void)logging;
    Callbacks callbacks = { functions->componentEnvironment, log_line, NULL, functions->allocateMemory,
                            functions->freeMemory };
    importer = (void (*)(void))functions->logger;
    Liar *liar = liar_new(name, &callbacks);
    if (!liar) return NULL;
    liar->exchange = type == fmi2ModelExchange;
    begin(liar, INSTANTIATE);
    if (instead(liar, INSTANTIATE) == NOT_DUE) return liar;
    liar_free(liar);
    return NULL;
}

void fmi2FreeInstance(fmi2Component component)
{
    if (component) begin(component, FREE);
    liar_free(component);
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)on, (void)n, (void)categories;
    CALL(DEBUG_LOGGING);
    DONE(DEBUG_LOGGING);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    CALL(SETUP);
    liar->values.time = liar->reached = start;
    DONE(SETUP);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    CALL(ENTER_INITIALIZATION);
    DONE(ENTER_INITIALIZATION);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    CALL(EXIT_INITIALIZATION);
    refresh(&liar->values);
    liar->values.in_event_mode = liar->exchange;
    DONE(EXIT_INITIALIZATION);
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    CALL(TERMINATE);
    DONE(TERMINATE);
}

fmi2Status fmi2Reset(fmi2Component component)
{
    Liar *liar = component;
    reset(&liar->values);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, REFERENCES, fmi2Real values[])
{
    COUNTED(GET_REAL, n);
    refresh(&liar->values);
    for (size_t i = 0; i < n; i++) {
        const double *place = number(&liar->values, references[i]);
        if (!place) return fmi2Error;
        values[i] = *place;
    }
    lie_about_numbers(liar, GET_REAL, values, n);
    DONE(GET_REAL);
}

fmi2Status fmi2GetInteger(fmi2Component component, REFERENCES, fmi2Integer values[])
{
    COUNTED(GET_INTEGER, n);
    for (size_t i = 0; i < n; i++) values[i] = references[i] == N ? liar->values.n : 0;
    if (due(liar, GET_INTEGER, NUMBERS)) for (size_t i = 0; i < n; i++) values[i] = INT32_MIN;
    DONE(GET_INTEGER);
}

fmi2Status fmi2GetBoolean(fmi2Component component, REFERENCES, fmi2Boolean values[])
{
    COUNTED(GET_BOOLEAN, n);
    for (size_t i = 0; i < n; i++) values[i] = references[i] == B && liar->values.b;
    if (due(liar, GET_BOOLEAN, NUMBERS)) for (size_t i = 0; i < n; i++) values[i] = 77;
    DONE(GET_BOOLEAN);
}

fmi2Status fmi2GetString(fmi2Component component, REFERENCES, fmi2String values[])
{
    COUNTED(GET_STRING, n);
    for (size_t i = 0; i < n; i++) values[i] = lie_about_text(liar, GET_STRING, references[i] == S ? text_of(liar) : "");
    DONE(GET_STRING);
}

fmi2Status fmi2SetReal(fmi2Component component, REFERENCES, const fmi2Real values[])
{
    COUNTED(SET, n);
    for (size_t i = 0; i < n; i++) {
        double *place = number(&liar->values, references[i]);
        if (!place) return fmi2Error;
        *place = values[i];
    }
    DONE(SET);
}

#define SET_NOTHING(name, type)                                                                                       \
    fmi2Status name(fmi2Component component, REFERENCES, const type values[])                                         \
    {                                                                                                                 \
        (void)references, (void)values;                                                                               \
        COUNTED(SET, n);                                                                                              \
        DONE(SET);                                                                                                    \
    }
SET_NOTHING(fmi2SetInteger, fmi2Integer)
SET_NOTHING(fmi2SetBoolean, fmi2Boolean)
SET_NOTHING(fmi2SetString, fmi2String)

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    CALL(GET_STATE);
    if (due(liar, GET_STATE, POINTER)) return *state = NULL, fmi2OK;
    if (!*state) *state = malloc(sizeof(Values));
    memcpy(*state, &liar->values, sizeof(Values));
    DONE(GET_STATE);
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state)
{
    CALL(SET_STATE);
    memcpy(&liar->values, state, sizeof(Values));
    DONE(SET_STATE);
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    CALL(FREE_STATE);
    free(*state);
    *state = NULL;
    DONE(FREE_STATE);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size)
{
    (void)state;
    CALL(STATE_SIZE);
    *size = lie_about_size(liar, STATE_SIZE, sizeof(Values));
    DONE(STATE_SIZE);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    CALL(SERIALIZE);
    memcpy(bytes, state, size < sizeof(Values) ? size : sizeof(Values));
    DONE(SERIALIZE);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    CALL(DESERIALIZE);
    if (due(liar, DESERIALIZE, POINTER)) return *state = NULL, fmi2OK;
    if (!*state) *state = calloc(1, sizeof(Values));
    memcpy(*state, bytes, size < sizeof(Values) ? size : sizeof(Values));
    DONE(DESERIALIZE);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    (void)component, (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)sensitivity;
    return fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, REFERENCES, const fmi2Integer o[], const fmi2Real v[])
{
    (void)component, (void)references, (void)n, (void)o, (void)v;
    return fmi2Error;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, REFERENCES, const fmi2Integer o[], fmi2Real v[])
{
    (void)component, (void)references, (void)n, (void)o, (void)v;
    return fmi2Error;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real start, fmi2Real length, fmi2Boolean no_set_state_before)
{
    (void)no_set_state_before;
    CALL(STEP);
    advance(&liar->values, start + length);
    handle_events(&liar->values);
    liar->reached = start + length;
    DONE(STEP);
}

fmi2Status fmi2CancelStep(fmi2Component component) { return (void)component, fmi2OK; }

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status *value)
{
    return (void)component, (void)kind, *value = fmi2OK, fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value)
{
    (void)kind;
    CALL(STEP_STATUS);
    *value = lie_about_time(liar, STEP_STATUS, liar->reached);
    DONE(STEP_STATUS);
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Integer *value)
{
    return (void)component, (void)kind, (void)value, fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean *value)
{
    (void)kind;
    CALL(STEP_STATUS);
    *value = lie_about_flag(liar, STEP_STATUS, END, false);
    DONE(STEP_STATUS);
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind, fmi2String *value)
{
    return (void)component, (void)kind, (void)value, fmi2Discard;
}

/* Model Exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    CALL(ENTER_EVENT);
    DONE(ENTER_EVENT);
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo *info)
{
    CALL(UPDATE);
    handle_events(&liar->values);
    info->newDiscreteStatesNeeded = lie_about_flag(liar, UPDATE, AGAIN, false);
    info->terminateSimulation = lie_about_flag(liar, UPDATE, END, false);
    info->nominalsOfContinuousStatesChanged = lie_about_flag(liar, UPDATE, NOMINALS_CHANGED, false);
    info->valuesOfContinuousStatesChanged = lie_about_flag(liar, UPDATE, STATES_CHANGED, false);
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = lie_about_time(liar, UPDATE, next_event(&liar->values));
    DONE(UPDATE);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    CALL(LEAVE_EVENT);
    DONE(LEAVE_EVENT);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean no_set_state_before, fmi2Boolean *event,
                                       fmi2Boolean *end)
{
    (void)no_set_state_before;
    CALL(COMPLETED);
    *event = lie_about_flag(liar, COMPLETED, EVENT, false);
    *end = lie_about_flag(liar, COMPLETED, END, false);
    DONE(COMPLETED);
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    CALL(SET_TIME);
    liar->values.time = time;
    DONE(SET_TIME);
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real states[], size_t n)
{
    COUNTED(SET_STATES, n);
    if (n) liar->values.x = states[0];
    DONE(SET_STATES);
}

#define GET_VECTOR(name, function, value)                                                                             \
    fmi2Status name(fmi2Component component, fmi2Real values[], size_t n)                                             \
    {                                                                                                                 \
        COUNTED(function, n);                                                                                         \
        refresh(&liar->values);                                                                                       \
        for (size_t i = 0; i < n; i++) values[i] = value;                                                             \
        lie_about_numbers(liar, function, values, n);                                                                 \
        DONE(function);                                                                                               \
    }
GET_VECTOR(fmi2GetContinuousStates, GET_STATES, liar->values.x)
GET_VECTOR(fmi2GetDerivatives, DERIVATIVES, liar->values.der_x)
GET_VECTOR(fmi2GetEventIndicators, GET_INDICATORS, liar->values.z)
GET_VECTOR(fmi2GetNominalsOfContinuousStates, NOMINALS, 1.0)
