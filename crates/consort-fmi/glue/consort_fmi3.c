/* The functions of FMI 3.0 for a model that offers what `consort_model.h` says. Consort adds this file and its headers
 * to an FMU that lists it as a source file; do not edit a copy. */
#include "fmi3Functions.h"
#include "consort_instance.h"

#define MOVING_PHASES (IN(EVENT_MODE) | IN(STEP_MODE) | IN(CONTINUOUS_MODE))
#define READ_PHASES (IN(CONFIGURATION) | IN(INITIALIZATION) | MOVING_PHASES | IN(RECONFIGURATION) | IN(TERMINATED))
#define WRITE_PHASES (IN(INSTANTIATED) | IN(CONFIGURATION) | IN(INITIALIZATION) | MOVING_PHASES | IN(RECONFIGURATION))

/* Refuses the call in the wrong phase, or as the model answers; a warning does not stop the call. */
#define BEGIN(phases, call)                                                                                           \
    Instance *instance = handle;                                                                                      \
    if (!instance || !allowed(instance, __func__, phases)) return fmi3Error;                                          \
    int own = own_status(instance, call);                                                                             \
    if (WARNING < own) return (fmi3Status)own
#define END(status) return worst(own, status)
#define UNUSED(value) (void)(value)
#define REFERENCES const fmi3ValueReference references[], size_t n

static fmi3Status worst(int a, int b) { return (fmi3Status)(a < b ? b : a); }

static void log_message(const Context *context, Status status, const char *format, ...)
{
    const Instance *instance = context->owner;
    fmi3LogMessageCallback logger = (fmi3LogMessageCallback)instance->logger;
    static const char *const categories[] = { "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                              "logStatusFatal" };
    if (!logger || (status == OK && !instance->log_all)) return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = malloc((size_t)length + 1);
    if (!text) return;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    logger(instance->environment, (fmi3Status)status, categories[status], text);
    free(text);
}

static fmi3Status unsupported(fmi3Instance handle, const char *function)
{
    return handle ? (fmi3Status)fail(handle, "%s is not supported", function) : fmi3Error;
}

const char *fmi3GetVersion(void) { return "3.0"; }

static Instance *instantiate(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean logging,
                             fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    if (!name || !token) return NULL;
    Instance *instance = instance_new(name, resources, resources ? strlen(resources) : 0);
    if (!instance) return NULL;
    instance->context.log = log_message;
    instance->logger = (void (*)(void))log;
    instance->environment = environment;
    instance->log_all = logging;
    bool wrong_token = strcmp(token, model.token) != 0;
    if (wrong_token) fail(instance, "the instantiation token `%s` is not this model's", token);
    if (wrong_token || own_status(instance, CALL_INSTANTIATE)) {
        instance_free(instance);
        return NULL;
    }
    return instance;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n_intermediate,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    UNUSED(visible), UNUSED(intermediate), UNUSED(n_intermediate), UNUSED(update);
    Instance *instance = model.step ? instantiate(name, token, resources, logging, environment, log) : NULL;
    if (!instance) return NULL;
    instance->context.event_mode = event_mode;
    instance->context.early_return = early_return;
    return instance;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    UNUSED(visible);
    Instance *instance = model.exchange ? instantiate(name, token, resources, logging, environment, log) : NULL;
    if (!instance) return NULL;
    instance->exchange = true;
    instance->context.event_mode = true;
    return instance;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3LockPreemptionCallback unlock)
{
    UNUSED(name), UNUSED(token), UNUSED(resources), UNUSED(visible), UNUSED(logging), UNUSED(environment), UNUSED(log);
    UNUSED(update), UNUSED(lock), UNUSED(unlock);
    return NULL;
}

void fmi3FreeInstance(fmi3Instance handle) { instance_free(handle); }

fmi3Status fmi3SetDebugLogging(fmi3Instance handle, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    UNUSED(n), UNUSED(categories);
    if (!handle) return fmi3Error;
    ((Instance *)handle)->log_all = on;
    return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance handle)
{
    BEGIN(IN(INSTANTIATED) | (instance && instance->exchange ? IN(EVENT_MODE) : 0), CALL_NONE);
    if (!model.configure) return unsupported(handle, __func__);
    instance->phase = instance->phase == EVENT_MODE ? RECONFIGURATION : CONFIGURATION;
    END(fmi3OK);
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance handle)
{
    BEGIN(IN(CONFIGURATION) | IN(RECONFIGURATION), CALL_NONE);
    model.configure(instance->values);
    instance->phase = instance->phase == RECONFIGURATION ? EVENT_MODE : INSTANTIATED;
    instance->dirty = true;
    END(fmi3OK);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance handle, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    UNUSED(tolerance_defined), UNUSED(tolerance), UNUSED(stop_defined), UNUSED(stop);
    BEGIN(IN(INSTANTIATED), CALL_ENTER_INITIALIZATION);
    *(double *)instance->values = start;
    instance->last_time = start;
    instance->phase = INITIALIZATION;
    instance->dirty = true;
    END(fmi3OK);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance handle)
{
    BEGIN(IN(INITIALIZATION), CALL_EXIT_INITIALIZATION);
    Status status = refresh(instance);
    if (status < ERROR) instance->phase = instance->context.event_mode ? EVENT_MODE : STEP_MODE;
    END(status);
}

fmi3Status fmi3EnterEventMode(fmi3Instance handle)
{
    BEGIN(IN(STEP_MODE) | IN(CONTINUOUS_MODE), CALL_NONE);
    if (!instance->context.event_mode) return (fmi3Status)fail(instance, "event mode was not announced");
    instance->phase = EVENT_MODE;
    END(fmi3OK);
}

fmi3Status fmi3EnterStepMode(fmi3Instance handle)
{
    BEGIN(IN(EVENT_MODE), CALL_NONE);
    if (instance->exchange) return unsupported(handle, __func__);
    Status status = refresh(instance);
    instance->phase = STEP_MODE;
    END(status);
}

fmi3Status fmi3Terminate(fmi3Instance handle)
{
    BEGIN(MOVING_PHASES, CALL_TERMINATE);
    instance->phase = TERMINATED;
    END(fmi3OK);
}

fmi3Status fmi3Reset(fmi3Instance handle)
{
    BEGIN(~0u, CALL_RESET);
    END(instance_reset(instance));
}

/* Getting and setting: phase, the model's own answer, then the copy. */
static fmi3Status before_get(Instance *instance, const char *function, const fmi3ValueReference *references, size_t n)
{
    if (!instance || !allowed(instance, function, READ_PHASES)) return fmi3Error;
    int own = n ? own_access_status(instance, CALL_GET, references[0]) : 0;
    return WARNING < own ? (fmi3Status)own : worst(own, refresh(instance));
}

static fmi3Status before_set(Instance *instance, const char *function, const fmi3ValueReference *references, size_t n)
{
    if (!instance || !allowed(instance, function, WRITE_PHASES)) return fmi3Error;
    return n ? (fmi3Status)own_access_status(instance, CALL_SET, references[0]) : fmi3OK;
}

#define ACCESS(NAME, TYPE)                                                                                            \
    fmi3Status fmi3Get##NAME(fmi3Instance handle, REFERENCES, fmi3##NAME values[], size_t count)                      \
    {                                                                                                                 \
        fmi3Status status = before_get(handle, __func__, references, n);                                              \
        if (fmi3Warning < status) return status;                                                                      \
        return worst(status, get_plain(handle, __func__, TYPE, references, n, values, count));                        \
    }                                                                                                                 \
    fmi3Status fmi3Set##NAME(fmi3Instance handle, REFERENCES, const fmi3##NAME values[], size_t count)                \
    {                                                                                                                 \
        fmi3Status status = before_set(handle, __func__, references, n);                                              \
        if (fmi3Warning < status) return status;                                                                      \
        return worst(status, set_plain(handle, __func__, TYPE, references, n, values, count));                        \
    }
ACCESS(Float32, FLOAT32)
ACCESS(Float64, FLOAT64)
ACCESS(Int8, INT8)
ACCESS(UInt8, UINT8)
ACCESS(Int16, INT16)
ACCESS(UInt16, UINT16)
ACCESS(Int32, INT32)
ACCESS(UInt32, UINT32)
ACCESS(Int64, INT64)
ACCESS(UInt64, UINT64)
ACCESS(Boolean, BOOLEAN)

fmi3Status fmi3GetString(fmi3Instance handle, REFERENCES, fmi3String values[], size_t count)
{
    fmi3Status status = before_get(handle, __func__, references, n);
    if (fmi3Warning < status) return status;
    return worst(status, get_strings(handle, __func__, references, n, values, count));
}

fmi3Status fmi3SetString(fmi3Instance handle, REFERENCES, const fmi3String values[], size_t count)
{
    fmi3Status status = before_set(handle, __func__, references, n);
    if (fmi3Warning < status) return status;
    return worst(status, set_strings(handle, __func__, references, n, values, count));
}

/* Binaries are scalars. */
fmi3Status fmi3GetBinary(fmi3Instance handle, REFERENCES, size_t sizes[], fmi3Binary values[], size_t count)
{
    fmi3Status status = before_get(handle, __func__, references, n);
    if (count != n) return (fmi3Status)fail(handle, "%s: %zu values for %zu variables", __func__, count, n);
    for (size_t i = 0; i < n && status <= fmi3Warning; i++) {
        const Variable *variable = readable(handle, __func__, references[i], BINARY);
        if (!variable) return fmi3Error;
        const Binary *binary = place(handle, variable);
        sizes[i] = binary->size;
        values[i] = binary->bytes;
    }
    return status;
}

fmi3Status fmi3SetBinary(fmi3Instance handle, REFERENCES, const size_t sizes[], const fmi3Binary values[],
                         size_t count)
{
    fmi3Status status = before_set(handle, __func__, references, n);
    if (count != n) return (fmi3Status)fail(handle, "%s: %zu values for %zu variables", __func__, count, n);
    for (size_t i = 0; i < n && status <= fmi3Warning; i++) {
        const Variable *variable = writable(handle, __func__, references[i], BINARY);
        if (!variable) return fmi3Error;
        if (BINARY_MAX < sizes[i]) return (fmi3Status)fail(handle, "%s: the binary is too long", __func__);
        Binary *binary = place(handle, variable);
        binary->size = sizes[i];
        if (sizes[i]) memcpy(binary->bytes, values[i], sizes[i]);
        ((Instance *)handle)->dirty = true;
    }
    return status;
}

fmi3Status fmi3GetClock(fmi3Instance handle, REFERENCES, fmi3Clock values[])
{
    if (!handle || !allowed(handle, __func__, IN(EVENT_MODE))) return fmi3Error;
    return (fmi3Status)get_plain(handle, __func__, CLOCK, references, n, values, n);
}

fmi3Status fmi3SetClock(fmi3Instance handle, REFERENCES, const fmi3Clock values[])
{
    if (!handle || !allowed(handle, __func__, IN(EVENT_MODE))) return fmi3Error;
    return (fmi3Status)set_plain(handle, __func__, CLOCK, references, n, values, n);
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
    BEGIN(~0u, CALL_GET_STATE);
    void *fresh = state_get(instance);
    if (!fresh) return (fmi3Status)fail(instance, "%s: out of memory", __func__);
    if (*state) memcpy(*state, fresh, state_size()), free(fresh);
    else *state = fresh;
    END(fmi3OK);
}

fmi3Status fmi3SetFMUState(fmi3Instance handle, fmi3FMUState state)
{
    BEGIN(~0u, CALL_SET_STATE);
    if (!state) return (fmi3Status)fail(instance, "%s: no state", __func__);
    state_set(instance, state);
    END(fmi3OK);
}

fmi3Status fmi3FreeFMUState(fmi3Instance handle, fmi3FMUState *state)
{
    UNUSED(handle);
    if (state) free(*state), *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance handle, fmi3FMUState state, size_t *size)
{
    UNUSED(handle);
    *size = serialized_size(state);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance handle, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < serialized_size(state)) return (fmi3Status)fail(handle, "%s: the buffer is too small", __func__);
    serialize(state, bytes);
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance handle, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (!state_fits(bytes, size)) return (fmi3Status)fail(handle, "%s: not a state of this model", __func__);
    if (!*state) *state = malloc(size);
    if (*state) memcpy(*state, bytes, size);
    return *state ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance handle, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    BEGIN(READ_PHASES, CALL_NONE);
    if (!model.directional) return unsupported(handle, __func__);
    size_t row = 0, column = 0;
    for (size_t i = 0; i < n_sensitivity; i++) sensitivity[i] = 0.0;
    for (size_t i = 0; i < n_unknowns; row += element_count(instance, unknowns[i++]))
        for (size_t j = column = 0; j < n_knowns; column += element_count(instance, knowns[j++]))
            if (n_sensitivity <= row || n_seed <= column
                || !model.directional(instance->values, unknowns[i], knowns[j], &seed[column], &sensitivity[row]))
                return (fmi3Status)fail(instance, "%s: no derivative of %u by %u", __func__, unknowns[i], knowns[j]);
    END(fmi3OK);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance handle, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                    const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                    size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity)
{
    UNUSED(unknowns), UNUSED(n_unknowns), UNUSED(knowns), UNUSED(n_knowns);
    UNUSED(seed), UNUSED(n_seed), UNUSED(sensitivity), UNUSED(n_sensitivity);
    return unsupported(handle, __func__);
}

/* Clocks: periodic input clocks with a constant interval only. */
fmi3Status fmi3GetIntervalDecimal(fmi3Instance handle, REFERENCES, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[])
{
    BEGIN(READ_PHASES, CALL_NONE);
    if (!model.interval) return unsupported(handle, __func__);
    for (size_t i = 0; i < n; i++) {
        if (!readable(instance, __func__, references[i], CLOCK)) return fmi3Error;
        intervals[i] = model.interval(instance->values, references[i]);
        qualifiers[i] = fmi3IntervalUnchanged;
    }
    END(fmi3OK);
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance handle, REFERENCES, fmi3Float64 shifts[])
{
    BEGIN(READ_PHASES, CALL_NONE);
    for (size_t i = 0; i < n; i++) {
        if (!readable(instance, __func__, references[i], CLOCK)) return fmi3Error;
        shifts[i] = 0.0;
    }
    END(fmi3OK);
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance handle, REFERENCES, const fmi3Float64 intervals[])
{
    UNUSED(references), UNUSED(n), UNUSED(intervals);
    return unsupported(handle, __func__);
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance handle, REFERENCES, const fmi3Float64 shifts[])
{
    UNUSED(references), UNUSED(n), UNUSED(shifts);
    return unsupported(handle, __func__);
}

#define NO_FRACTION(NAME, CONST)                                                                                      \
    fmi3Status NAME(fmi3Instance handle, REFERENCES, CONST fmi3UInt64 counters[], CONST fmi3UInt64 resolutions[])     \
    {                                                                                                                 \
        UNUSED(references), UNUSED(n), UNUSED(counters), UNUSED(resolutions);                                         \
        return unsupported(handle, __func__);                                                                         \
    }
NO_FRACTION(fmi3SetIntervalFraction, const)
NO_FRACTION(fmi3SetShiftFraction, const)
NO_FRACTION(fmi3GetShiftFraction, )

fmi3Status fmi3GetIntervalFraction(fmi3Instance handle, REFERENCES, fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
{
    UNUSED(references), UNUSED(n), UNUSED(counters), UNUSED(resolutions), UNUSED(qualifiers);
    return unsupported(handle, __func__);
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance handle)
{
    BEGIN(IN(INITIALIZATION) | IN(EVENT_MODE), CALL_NONE);
    END(fmi3OK);
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance handle, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
    BEGIN(IN(EVENT_MODE), CALL_UPDATE);
    Event event = { 0 };
    Status status = model.update ? model.update(&instance->context, instance->values, &event) : OK;
    instance->dirty = true;
    *again = event.again;
    *terminate = event.terminate;
    *nominals_changed = event.nominals_changed;
    *states_changed = event.states_changed;
    *next_defined = event.next_defined;
    *next = event.next;
    END(status);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance handle, REFERENCES, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t count)
{
    UNUSED(references), UNUSED(n), UNUSED(orders), UNUSED(values), UNUSED(count);
    return unsupported(handle, __func__);
}

fmi3Status fmi3DoStep(fmi3Instance handle, fmi3Float64 start, fmi3Float64 length, fmi3Boolean no_set_state_before,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last_time)
{
    UNUSED(no_set_state_before);
    *event = *terminate = *early = false;
    *last_time = start;
    BEGIN(IN(STEP_MODE), CALL_STEP);
    Step step = { .start = start, .length = length };
    Status status = advance(instance, &step);
    *event = step.event;
    *terminate = step.terminate;
    *early = step.early;
    *last_time = step.reached;
    END(status);
}

/* Model Exchange. */
#define GET_VECTOR(NAME, VECTOR)                                                                                      \
    fmi3Status NAME(fmi3Instance handle, fmi3Float64 values[], size_t count)                                          \
    {                                                                                                                 \
        return (fmi3Status)get_vector(handle, __func__, VECTOR, values, count);                                       \
    }

GET_VECTOR(fmi3GetContinuousStates, STATES)
GET_VECTOR(fmi3GetContinuousStateDerivatives, DERIVATIVES)
GET_VECTOR(fmi3GetEventIndicators, INDICATORS)
GET_VECTOR(fmi3GetNominalsOfContinuousStates, NOMINALS)

fmi3Status fmi3SetContinuousStates(fmi3Instance handle, const fmi3Float64 values[], size_t count)
{
    return (fmi3Status)set_states(handle, __func__, values, count);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance handle)
{
    return (fmi3Status)change_mode(handle, __func__, EVENT_MODE, CONTINUOUS_MODE);
}

fmi3Status fmi3SetTime(fmi3Instance handle, fmi3Float64 time) { return (fmi3Status)set_time(handle, __func__, time); }

static fmi3Status number_of(fmi3Instance handle, const char *function, Vector vector, size_t *count)
{
    Instance *instance = handle;
    if (!instance || !instance->exchange) return unsupported(handle, function);
    *count = vector_count(instance, vector);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance handle, size_t *count)
{
    return number_of(handle, __func__, INDICATORS, count);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance handle, size_t *count)
{
    return number_of(handle, __func__, STATES, count);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance handle, fmi3Boolean no_set_state_before, fmi3Boolean *event,
                                       fmi3Boolean *terminate)
{
    UNUSED(no_set_state_before);
    *terminate = false;
    return (fmi3Status)completed_step(handle, __func__, event);
}

/* The interface this FMU does not offer. */
fmi3Status fmi3ActivateModelPartition(fmi3Instance handle, fmi3ValueReference clock, fmi3Float64 time)
{
    UNUSED(clock), UNUSED(time);
    return unsupported(handle, __func__);
}
