/* FMI 3.0, not strict: every call is taken as it comes, and lied about as asked. */
#include "fmi3Functions.h"
#include "liar.h"

#include <stdlib.h>
#include <string.h>

#define CALL(function)                                                                                                 \
    Liar *liar = instance;                                                                                            \
    begin(liar, function);                                                                                            \
    int early_status = instead(liar, function);                                                                       \
    if (early_status != NOT_DUE) return (fmi3Status)early_status
#define COUNTED(function, count)                                                                                      \
    CALL(function);                                                                                                   \
    int zero_status = zero_count(liar, function, count);                                                              \
    if (zero_status != NOT_DUE) return (fmi3Status)zero_status
#define DONE(function) return (fmi3Status)after(liar, function, OK)
#define REFERENCES const fmi3ValueReference references[], size_t n

/* The importer's function, for whichever instance logs; all of one importer have the same. */
static fmi3LogMessageCallback importer;

static void log_line(void *environment, const char *name, int status, const char *category, const char *message)
{
    (void)name;
    if (importer) importer(environment, (fmi3Status)status, category, message);
}

const char *fmi3GetVersion(void) { return "3.0"; }

static fmi3Instance make(fmi3String name, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, bool exchange,
                         bool event_mode)
{
    Callbacks callbacks = { .environment = environment, .log = log_line };
    importer = log;
    Liar *liar = liar_new(name, &callbacks);
    if (!liar) return NULL;
    liar->exchange = exchange;
    liar->event_mode = event_mode;
    begin(liar, INSTANTIATE);
    if (instead(liar, INSTANTIATE) == NOT_DUE) return liar;
    liar_free(liar);
    return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)token, (void)resources, (void)visible, (void)logging;
    return make(name, environment, log, true, true);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)token, (void)resources, (void)visible, (void)logging, (void)early_return, (void)required, (void)n_required;
    (void)update;
    return make(name, environment, log, false, event_mode);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log, (void)clock;
    (void)lock, (void)unlock;
    return NULL;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    if (instance) begin(instance, FREE);
    liar_free(instance);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)on, (void)n, (void)categories;
    CALL(DEBUG_LOGGING);
    DONE(DEBUG_LOGGING);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    CALL(ENTER_INITIALIZATION);
    liar->values.time = liar->reached = start;
    DONE(ENTER_INITIALIZATION);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    CALL(EXIT_INITIALIZATION);
    refresh(&liar->values);
    DONE(EXIT_INITIALIZATION);
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    CALL(ENTER_EVENT);
    DONE(ENTER_EVENT);
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    CALL(TERMINATE);
    DONE(TERMINATE);
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    Liar *liar = instance;
    reset(&liar->values);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, REFERENCES, fmi3Float64 values[], size_t count)
{
    COUNTED(GET_REAL, n);
    refresh(&liar->values);
    for (size_t i = 0; i < n && i < count; i++) {
        const double *place = number(&liar->values, references[i]);
        if (!place) return fmi3Error;
        values[i] = *place;
    }
    lie_about_numbers(liar, GET_REAL, values, count);
    DONE(GET_REAL);
}

fmi3Status fmi3GetInt32(fmi3Instance instance, REFERENCES, fmi3Int32 values[], size_t count)
{
    COUNTED(GET_INTEGER, n);
    for (size_t i = 0; i < count; i++) values[i] = references[i] == N ? liar->values.n : 0;
    if (due(liar, GET_INTEGER, NUMBERS)) for (size_t i = 0; i < count; i++) values[i] = INT32_MIN;
    DONE(GET_INTEGER);
}

fmi3Status fmi3GetBoolean(fmi3Instance instance, REFERENCES, fmi3Boolean values[], size_t count)
{
    COUNTED(GET_BOOLEAN, n);
    for (size_t i = 0; i < count; i++) values[i] = references[i] == B && liar->values.b;
    if (due(liar, GET_BOOLEAN, NUMBERS)) memset(values, 77, count);
    DONE(GET_BOOLEAN);
}

fmi3Status fmi3GetString(fmi3Instance instance, REFERENCES, fmi3String values[], size_t count)
{
    COUNTED(GET_STRING, n);
    for (size_t i = 0; i < count; i++)
        values[i] = lie_about_text(liar, GET_STRING, references[i] == S ? text_of(liar) : "");
    DONE(GET_STRING);
}

fmi3Status fmi3GetBinary(fmi3Instance instance, REFERENCES, size_t sizes[], fmi3Binary values[], size_t count)
{
    (void)references;
    COUNTED(GET_BINARY, n);
    liar->blob = (uint8_t)liar->values.n;
    for (size_t i = 0; i < count; i++) {
        sizes[i] = lie_about_size(liar, GET_BINARY, 1);
        values[i] = (fmi3Binary)lie_about_text(liar, GET_BINARY, (const char *)&liar->blob);
    }
    DONE(GET_BINARY);
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, REFERENCES, const fmi3Float64 values[], size_t count)
{
    COUNTED(SET, n);
    for (size_t i = 0; i < n && i < count; i++) {
        double *place = number(&liar->values, references[i]);
        if (!place) return fmi3Error;
        *place = values[i];
    }
    DONE(SET);
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    CALL(GET_STATE);
    if (due(liar, GET_STATE, POINTER)) return *state = NULL, fmi3OK;
    if (!*state) *state = malloc(sizeof(Values));
    memcpy(*state, &liar->values, sizeof(Values));
    DONE(GET_STATE);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    CALL(SET_STATE);
    memcpy(&liar->values, state, sizeof(Values));
    DONE(SET_STATE);
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    CALL(FREE_STATE);
    free(*state);
    *state = NULL;
    DONE(FREE_STATE);
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)state;
    CALL(STATE_SIZE);
    *size = lie_about_size(liar, STATE_SIZE, sizeof(Values));
    DONE(STATE_SIZE);
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    CALL(SERIALIZE);
    memcpy(bytes, state, size < sizeof(Values) ? size : sizeof(Values));
    DONE(SERIALIZE);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    CALL(DESERIALIZE);
    if (due(liar, DESERIALIZE, POINTER)) return *state = NULL, fmi3OK;
    if (!*state) *state = calloc(1, sizeof(Values));
    memcpy(*state, bytes, size < sizeof(Values) ? size : sizeof(Values));
    DONE(DESERIALIZE);
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *end, fmi3Boolean *nominals,
                                    fmi3Boolean *states, fmi3Boolean *next_defined, fmi3Float64 *next)
{
    CALL(UPDATE);
    handle_events(&liar->values);
    *again = lie_about_flag(liar, UPDATE, AGAIN, false);
    *end = lie_about_flag(liar, UPDATE, END, false);
    *nominals = lie_about_flag(liar, UPDATE, NOMINALS_CHANGED, false);
    *states = lie_about_flag(liar, UPDATE, STATES_CHANGED, false);
    *next_defined = true;
    *next = lie_about_time(liar, UPDATE, next_event(&liar->values));
    DONE(UPDATE);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    CALL(LEAVE_EVENT);
    DONE(LEAVE_EVENT);
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    CALL(LEAVE_EVENT);
    DONE(LEAVE_EVENT);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_set_state_before, fmi3Boolean *event,
                                       fmi3Boolean *end)
{
    (void)no_set_state_before;
    CALL(COMPLETED);
    *event = lie_about_flag(liar, COMPLETED, EVENT, false);
    *end = lie_about_flag(liar, COMPLETED, END, false);
    DONE(COMPLETED);
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    CALL(SET_TIME);
    liar->values.time = time;
    DONE(SET_TIME);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t n)
{
    COUNTED(SET_STATES, n);
    if (n) liar->values.x = states[0];
    DONE(SET_STATES);
}

#define GET_VECTOR(name, function, value)                                                                             \
    fmi3Status name(fmi3Instance instance, fmi3Float64 values[], size_t n)                                            \
    {                                                                                                                 \
        COUNTED(function, n);                                                                                         \
        refresh(&liar->values);                                                                                       \
        for (size_t i = 0; i < n; i++) values[i] = value;                                                             \
        lie_about_numbers(liar, function, values, n);                                                                 \
        DONE(function);                                                                                               \
    }
GET_VECTOR(fmi3GetContinuousStates, GET_STATES, liar->values.x)
GET_VECTOR(fmi3GetContinuousStateDerivatives, DERIVATIVES, liar->values.der_x)
GET_VECTOR(fmi3GetEventIndicators, GET_INDICATORS, liar->values.z)
GET_VECTOR(fmi3GetNominalsOfContinuousStates, NOMINALS, 1.0)

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *count)
{
    CALL(COUNTS);
    *count = INDICATORS;
    DONE(COUNTS);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *count)
{
    CALL(COUNTS);
    *count = lie_about_size(liar, COUNTS, STATES);
    DONE(COUNTS);
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 start, fmi3Float64 length, fmi3Boolean no_set_state_before,
                      fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *reached)
{
    (void)no_set_state_before;
    CALL(STEP);
    advance(&liar->values, start + length);
    bool is_due = next_event(&liar->values) <= liar->values.time;
    if (!liar->event_mode) handle_events(&liar->values);
    *event = lie_about_flag(liar, STEP, EVENT, is_due && liar->event_mode);
    *end = lie_about_flag(liar, STEP, END, false);
    *early = lie_about_flag(liar, STEP, EARLY, false);
    *reached = liar->reached = lie_about_time(liar, STEP, start + length);
    DONE(STEP);
}

/* Nothing that this model has needs the others: they are there because importers look for them. */
fmi3Status fmi3GetFloat32(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Float32 a3[],
                          size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetInt8(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Int8 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetUInt8(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt8 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetInt16(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Int16 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetUInt16(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt16 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetUInt32(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt32 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Int64 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt64 a3[], size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Clock a3[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, fmi3Error;
}

fmi3Status fmi3SetFloat32(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Float32 a3[],
                          size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetInt8(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Int8 a3[],
                       size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetUInt8(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3UInt8 a3[],
                        size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetInt16(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Int16 a3[],
                        size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetUInt16(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3UInt16 a3[],
                         size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Int32 a3[],
                        size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetUInt32(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3UInt32 a3[],
                         size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Int64 a3[],
                        size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3UInt64 a3[],
                         size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Boolean a3[],
                          size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3String a3[],
                         size_t a4)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const size_t a3[],
                         const fmi3Binary a4[], size_t a5)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, fmi3Error;
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, const fmi3Clock a3[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, fmi3Error;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference a1, size_t *a2)
{
    return (void)instance, (void)a1, (void)a2, fmi3Error;
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference a1, size_t a2[],
                                       fmi3ValueReference a3[], size_t a4[], fmi3DependencyKind a5[], size_t a6)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                        const fmi3ValueReference a3[], size_t a4, const fmi3Float64 a5[], size_t a6,
                                        fmi3Float64 a7[], size_t a8)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, fmi3Error;
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                    const fmi3ValueReference a3[], size_t a4, const fmi3Float64 a5[], size_t a6,
                                    fmi3Float64 a7[], size_t a8)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, fmi3Error;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    return (void)instance, fmi3Error;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    return (void)instance, fmi3Error;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Float64 a3[],
                                  fmi3IntervalQualifier a4[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt64 a3[],
                                   fmi3UInt64 a4[], fmi3IntervalQualifier a5[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, fmi3Error;
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3Float64 a3[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, fmi3Error;
}

fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2, fmi3UInt64 a3[],
                                fmi3UInt64 a4[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                  const fmi3Float64 a3[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, fmi3Error;
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                   const fmi3UInt64 a3[], const fmi3UInt64 a4[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                               const fmi3Float64 a3[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, fmi3Error;
}

fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                const fmi3UInt64 a3[], const fmi3UInt64 a4[])
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, fmi3Error;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return (void)instance, fmi3Error;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference a1[], size_t a2,
                                    const fmi3Int32 a3[], fmi3Float64 a4[], size_t a5)
{
    return (void)instance, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, fmi3Error;
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference a1, fmi3Float64 a2)
{
    return (void)instance, (void)a1, (void)a2, fmi3Error;
}
