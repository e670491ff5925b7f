/* The functions of FMI 2.0 for a model that offers what `consort_model.h` says. Consort adds this file and its headers
 * to an FMU that lists it as a source file; do not edit a copy. */
#include "fmi2Functions.h"
#include "consort_instance.h"

#define READ_PHASES (IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE) | IN(TERMINATED))
#define WRITE_PHASES (IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE))

/* Refuses the call in the wrong phase, or as the model answers; a warning does not stop the call. */
#define BEGIN(phases, call)                                                                                           \
    Instance *instance = component;                                                                                   \
    if (!instance || !allowed(instance, __func__, phases)) return fmi2Error;                                          \
    int own = own_status(instance, call);                                                                             \
    if (WARNING < own) return (fmi2Status)own
#define END(status) return worst(own, status)
#define REFERENCES const fmi2ValueReference references[], size_t n

static fmi2Status worst(int a, int b) { return (fmi2Status)(a < b ? b : a); }

static void log_message(const Context *context, Status status, const char *format, ...)
{
    const Instance *instance = context->owner;
    const fmi2CallbackFunctions *callbacks = instance->callbacks;
    static const char *const categories[] = { "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                              "logStatusFatal" };
    if (!callbacks || !callbacks->logger || (status == OK && !instance->log_all)) return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = malloc((size_t)length + 1);
    if (!text) return;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    callbacks->logger(callbacks->componentEnvironment, context->name, (fmi2Status)status, categories[status],
                      "%s [time %g]", text, *(const double *)instance->values);
    free(text);
}

/* The path in a file URI, percent-decoded, with a separator at its end. NULL if there is none. */
static char *path_of_uri(const char *uri)
{
    if (!uri || strncmp(uri, "file:", 5) != 0) return NULL;
    const char *from = uri + 5;
    if (strncmp(from, "//", 2) == 0) from = strchr(from + 2, '/');
    if (!from) return NULL;
    char *path = calloc(strlen(from) + 2, 1), *to = path;
    while (path && *from) {
        unsigned code;
        if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            from += 3;
        } else {
            *to++ = *from++;
        }
    }
    if (path && (to == path || to[-1] != '/')) *to = '/';
    return path;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)visible;
    if (!name || !guid || !callbacks) return NULL;
    char *path = path_of_uri(resources);
    Instance *instance = instance_new(name, path, path ? strlen(path) : 0);
    free(path);
    if (!instance) return NULL;
    instance->context.log = log_message;
    instance->callbacks = callbacks;
    instance->log_all = logging;
    bool wrong_token = strcmp(guid, model.token) != 0;
    if (wrong_token) fail(instance, "the GUID `%s` is not this model's", guid);
    instance->exchange = type == fmi2ModelExchange;
    bool is_offered = instance->exchange ? model.exchange != NULL : model.step != NULL;
    if (wrong_token || !is_offered || own_status(instance, CALL_INSTANTIATE)) {
        instance_free(instance);
        return NULL;
    }
    return instance;
}

void fmi2FreeInstance(fmi2Component component) { instance_free(component); }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)n, (void)categories;
    Instance *instance = component;
    if (!instance) return fmi2Error;
    instance->log_all = on;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    BEGIN(IN(INSTANTIATED), CALL_SETUP);
    *(double *)instance->values = start;
    instance->last_time = start;
    END(fmi2OK);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    BEGIN(IN(INSTANTIATED), CALL_ENTER_INITIALIZATION);
    instance->phase = INITIALIZATION;
    instance->dirty = true;
    END(fmi2OK);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    BEGIN(IN(INITIALIZATION), CALL_EXIT_INITIALIZATION);
    Status status = refresh(instance);
    if (status < ERROR) instance->phase = instance->exchange ? EVENT_MODE : STEP_MODE;
    END(status);
}

fmi2Status fmi2Terminate(fmi2Component component)
{
    BEGIN(IN(STEP_MODE) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE), CALL_TERMINATE);
    instance->phase = TERMINATED;
    END(fmi2OK);
}

fmi2Status fmi2Reset(fmi2Component component)
{
    BEGIN(~0u, CALL_RESET);
    END(instance_reset(instance));
}

/* Getting and setting: phase, the model's own answer, then the copy. */
static fmi2Status before_get(Instance *instance, const char *function, const fmi2ValueReference *references, size_t n)
{
    if (!instance || !allowed(instance, function, READ_PHASES)) return fmi2Error;
    int own = n ? own_access_status(instance, CALL_GET, references[0]) : 0;
    return WARNING < own ? (fmi2Status)own : worst(own, refresh(instance));
}

static fmi2Status before_set(Instance *instance, const char *function, const fmi2ValueReference *references, size_t n)
{
    if (!instance || !allowed(instance, function, WRITE_PHASES)) return fmi2Error;
    return n ? (fmi2Status)own_access_status(instance, CALL_SET, references[0]) : fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, REFERENCES, fmi2Real values[])
{
    fmi2Status status = before_get(component, __func__, references, n);
    if (fmi2Warning < status) return status;
    return worst(status, get_plain(component, __func__, FLOAT64, references, n, values, n));
}

fmi2Status fmi2SetReal(fmi2Component component, REFERENCES, const fmi2Real values[])
{
    fmi2Status status = before_set(component, __func__, references, n);
    if (fmi2Warning < status) return status;
    return worst(status, set_plain(component, __func__, FLOAT64, references, n, values, n));
}

static bool is_enumeration(fmi2ValueReference reference)
{
    return reference < model.variable_count && model.variables[reference].type == ENUMERATION;
}

fmi2Status fmi2GetInteger(fmi2Component component, REFERENCES, fmi2Integer values[])
{
    fmi2Status status = before_get(component, __func__, references, n);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++) {
        int64_t wide = 0;
        if (!is_enumeration(references[i])) {
            status = worst(status, get_plain(component, __func__, INT32, &references[i], 1, &values[i], 1));
        } else {
            status = worst(status, get_plain(component, __func__, ENUMERATION, &references[i], 1, &wide, 1));
            values[i] = (fmi2Integer)wide;
        }
    }
    return status;
}

fmi2Status fmi2SetInteger(fmi2Component component, REFERENCES, const fmi2Integer values[])
{
    fmi2Status status = before_set(component, __func__, references, n);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++) {
        int64_t wide = values[i];
        status = worst(status, is_enumeration(references[i])
            ? set_plain(component, __func__, ENUMERATION, &references[i], 1, &wide, 1)
            : set_plain(component, __func__, INT32, &references[i], 1, &values[i], 1));
    }
    return status;
}

fmi2Status fmi2GetBoolean(fmi2Component component, REFERENCES, fmi2Boolean values[])
{
    fmi2Status status = before_get(component, __func__, references, n);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++) {
        bool value = false;
        status = worst(status, get_plain(component, __func__, BOOLEAN, &references[i], 1, &value, 1));
        values[i] = value;
    }
    return status;
}

fmi2Status fmi2SetBoolean(fmi2Component component, REFERENCES, const fmi2Boolean values[])
{
    fmi2Status status = before_set(component, __func__, references, n);
    for (size_t i = 0; i < n && status <= fmi2Warning; i++) {
        bool value = values[i] != 0;
        status = worst(status, set_plain(component, __func__, BOOLEAN, &references[i], 1, &value, 1));
    }
    return status;
}

fmi2Status fmi2GetString(fmi2Component component, REFERENCES, fmi2String values[])
{
    fmi2Status status = before_get(component, __func__, references, n);
    if (fmi2Warning < status) return status;
    return worst(status, get_strings(component, __func__, references, n, values, n));
}

fmi2Status fmi2SetString(fmi2Component component, REFERENCES, const fmi2String values[])
{
    fmi2Status status = before_set(component, __func__, references, n);
    if (fmi2Warning < status) return status;
    return worst(status, set_strings(component, __func__, references, n, values, n));
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    BEGIN(~0u, CALL_GET_STATE);
    if (!*state) *state = state_get(instance);
    else {
        void *fresh = state_get(instance);
        if (fresh) memcpy(*state, fresh, state_size());
        free(fresh);
    }
    END(*state ? fmi2OK : fmi2Error);
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state)
{
    BEGIN(~0u, CALL_SET_STATE);
    if (!state) return (fmi2Status)fail(instance, "%s: no state", __func__);
    state_set(instance, state);
    END(fmi2OK);
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state)
{
    (void)component;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size)
{
    (void)component;
    *size = serialized_size(state);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    Instance *instance = component;
    if (!instance) return fmi2Error;
    if (size < serialized_size(state)) return (fmi2Status)fail(instance, "%s: the buffer is too small", __func__);
    serialize(state, bytes);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    Instance *instance = component;
    if (!instance) return fmi2Error;
    if (!state_fits(bytes, size)) return (fmi2Status)fail(instance, "%s: not a state of this model", __func__);
    if (!*state) *state = malloc(size);
    if (*state) memcpy(*state, bytes, size);
    return *state ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    Instance *instance = component;
    if (!instance || !allowed(instance, __func__, READ_PHASES)) return fmi2Error;
    if (!model.directional) return (fmi2Status)fail(instance, "%s is not supported", __func__);
    for (size_t i = 0; i < n_unknowns; i++) {
        sensitivity[i] = 0.0;
        for (size_t j = 0; j < n_knowns; j++)
            if (!model.directional(instance->values, unknowns[i], knowns[j], &seed[j], &sensitivity[i]))
                return (fmi2Status)fail(instance, "%s: no derivative of %u by %u", __func__, unknowns[i], knowns[j]);
    }
    return fmi2OK;
}

static fmi2Status unsupported(fmi2Component component, const char *function)
{
    return component ? (fmi2Status)fail(component, "%s is not supported", function) : fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t n,
                                       const fmi2Integer orders[], const fmi2Real values[])
{
    (void)references, (void)n, (void)orders, (void)values;
    return unsupported(component, __func__);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t n,
                                        const fmi2Integer orders[], fmi2Real values[])
{
    (void)references, (void)n, (void)orders, (void)values;
    return unsupported(component, __func__);
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real start, fmi2Real length, fmi2Boolean no_set_state_before)
{
    (void)no_set_state_before;
    BEGIN(IN(STEP_MODE), CALL_STEP);
    Step step = { .start = start, .length = length };
    Status status = advance(instance, &step);
    END(step.terminate && status < DISCARD ? fmi2Discard : status);
}

fmi2Status fmi2CancelStep(fmi2Component component) { return unsupported(component, __func__); }

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind, (void)value;
    return unsupported(component, __func__);
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value)
{
    Instance *instance = component;
    if (!instance) return fmi2Error;
    if (kind != fmi2LastSuccessfulTime) return unsupported(component, __func__);
    *value = instance->last_time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return unsupported(component, __func__);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean *value)
{
    Instance *instance = component;
    if (!instance) return fmi2Error;
    if (kind != fmi2Terminated) return unsupported(component, __func__);
    *value = instance->terminate;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind, (void)value;
    return unsupported(component, __func__);
}

/* Model Exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component component)
{
    return (fmi2Status)change_mode(component, __func__, CONTINUOUS_MODE, EVENT_MODE);
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component)
{
    return (fmi2Status)change_mode(component, __func__, EVENT_MODE, CONTINUOUS_MODE);
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo *info)
{
    BEGIN(IN(EVENT_MODE), CALL_UPDATE);
    Event event = { 0 };
    Status status = model.update ? model.update(&instance->context, instance->values, &event) : OK;
    instance->dirty = true;
    info->newDiscreteStatesNeeded = event.again;
    info->terminateSimulation = event.terminate;
    info->nominalsOfContinuousStatesChanged = event.nominals_changed;
    info->valuesOfContinuousStatesChanged = event.states_changed;
    info->nextEventTimeDefined = event.next_defined;
    info->nextEventTime = event.next;
    END(status);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean no_set_state_before, fmi2Boolean *event,
                                       fmi2Boolean *terminate)
{
    (void)no_set_state_before;
    bool enter = false;
    Status status = completed_step(component, __func__, &enter);
    *event = enter;
    *terminate = 0;
    return (fmi2Status)status;
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time)
{
    return (fmi2Status)set_time(component, __func__, time);
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real values[], size_t count)
{
    return (fmi2Status)set_states(component, __func__, values, count);
}

#define GET_VECTOR(NAME, VECTOR)                                                                                      \
    fmi2Status NAME(fmi2Component component, fmi2Real values[], size_t count)                                         \
    {                                                                                                                 \
        return (fmi2Status)get_vector(component, __func__, VECTOR, values, count);                                    \
    }

GET_VECTOR(fmi2GetContinuousStates, STATES)
GET_VECTOR(fmi2GetDerivatives, DERIVATIVES)
GET_VECTOR(fmi2GetEventIndicators, INDICATORS)
GET_VECTOR(fmi2GetNominalsOfContinuousStates, NOMINALS)
