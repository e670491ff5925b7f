/* What `consort_fmi2.c` and `consort_fmi3.c` share: life cycle, typed access to values, saved states. */
#ifndef CONSORT_INSTANCE_H
#define CONSORT_INSTANCE_H

#include "consort_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { INSTANTIATED, CONFIGURATION, INITIALIZATION, EVENT_MODE, STEP_MODE, TERMINATED, FAILED,
               CONTINUOUS_MODE, RECONFIGURATION } Phase;

typedef struct {
    Context context;
    char *name, *resources;
    Phase phase;
    bool dirty;          /* outputs are out of date in a mode that refreshes them at once */
    bool log_all;
    bool exchange;       /* made for Model Exchange */
    void *values;
    double last_time;    /* reached by the last step */
    bool terminate;      /* asked for by the last step */
    void *environment;
    const void *callbacks;   /* of FMI 2 */
    void (*logger)(void);    /* of FMI 3, cast back before the call */
} Instance;

static inline Instance *instance_new(const char *name, const char *resources, size_t resources_length);
static inline void instance_free(Instance *instance);
static inline Status instance_reset(Instance *instance);

/* Logs an error and returns ERROR. */
static inline Status fail(const Instance *instance, const char *format, ...);

/* True if the instance is in one of the phases (bits `1 << phase`); logs the refused call otherwise. */
static inline bool allowed(Instance *instance, const char *function, unsigned phases);
#define IN(phase) (1u << (phase))

/* The status with which the model answers this call itself; 0: it does not. */
static inline int own_status(Instance *instance, Call call);
static inline int own_access_status(Instance *instance, Call call, uint32_t reference);

/* The variable, or NULL after logging why not. `type` must match; INT64 also fits an ENUMERATION. */
static inline const Variable *readable(Instance *instance, const char *function, uint32_t reference, Type type);
static inline const Variable *writable(Instance *instance, const char *function, uint32_t reference, Type type);
static inline size_t element_count(const Instance *instance, uint32_t reference);
static inline void *place(const Instance *instance, const Variable *variable);
static inline size_t element_size(Type type);

/* Copies all elements of the variables; `count` elements must fit exactly. Not for strings, binaries, clocks. */
static inline Status get_plain(Instance *, const char *function, Type, const uint32_t *references, size_t, void *,
                               size_t count);
static inline Status set_plain(Instance *, const char *function, Type, const uint32_t *references, size_t,
                               const void *, size_t);
static inline Status get_strings(Instance *, const char *function, const uint32_t *references, size_t, const char **,
                                 size_t count);
static inline Status set_strings(Instance *, const char *function, const uint32_t *references, size_t,
                                 const char *const *, size_t);

/* Brings outputs up to date where the mode demands it. */
static inline Status refresh(Instance *instance);
/* One step, with time kept; `step` is answered. */
static inline Status advance(Instance *instance, Step *step);

/* Model Exchange: all of these refuse the call where it is not allowed. */
typedef enum { STATES, DERIVATIVES, INDICATORS, NOMINALS } Vector;
static inline size_t vector_count(const Instance *instance, Vector vector);
static inline Status get_vector(Instance *instance, const char *function, Vector vector, double *values, size_t count);
static inline Status set_states(Instance *instance, const char *function, const double *values, size_t count);
static inline Status set_time(Instance *instance, const char *function, double time);
static inline Status completed_step(Instance *instance, const char *function, bool *event);
static inline Status change_mode(Instance *instance, const char *function, Phase from, Phase to);

/* Saved states: phase and values, no pointers, so the bytes are also the serialized form. */
static inline size_t state_size(void);
static inline void *state_get(const Instance *instance);
static inline void state_set(Instance *instance, const void *state);
static inline size_t serialized_size(const void *state);
static inline void serialize(const void *state, void *bytes);
static inline bool state_fits(const void *bytes, size_t size);

typedef struct {
    uint64_t size;
    char token[64];
    int32_t phase;
    uint8_t dirty, terminate;
    double last_time;
} StateHead;

static inline char *copy_text(const char *text, size_t length)
{
    char *copy = calloc(length + 1, 1);
    if (copy && text) memcpy(copy, text, length);
    return copy;
}

static inline Instance *instance_new(const char *name, const char *resources, size_t resources_length)
{
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->name = copy_text(name, strlen(name));
    instance->resources = copy_text(resources, resources_length);
    instance->values = calloc(1, model.size);
    if (!instance->name || !instance->resources || !instance->values) {
        instance_free(instance);
        return NULL;
    }
    instance->context.name = instance->name;
    instance->context.resources = instance->resources;
    instance->context.owner = instance;
    instance_reset(instance);
    return instance;
}

static inline void instance_free(Instance *instance)
{
    if (!instance) return;
    free(instance->name);
    free(instance->resources);
    free(instance->values);
    free(instance);
}

static inline Status instance_reset(Instance *instance)
{
    memset(instance->values, 0, model.size);
    model.start(instance->values);
    instance->phase = INSTANTIATED;
    instance->dirty = true;
    instance->terminate = false;
    instance->last_time = *(double *)instance->values;
    return OK;
}

static inline Status fail(const Instance *instance, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    instance->context.log(&instance->context, ERROR, "%s", text);
    return ERROR;
}

static inline bool allowed(Instance *instance, const char *function, unsigned phases)
{
    static const char *const names[] = { "after instantiation", "in configuration mode", "in initialization mode",
                                         "in event mode", "in step mode", "after termination", "after a fatal error",
                                         "in continuous-time mode", "in reconfiguration mode" };
    if (phases & IN(instance->phase)) return true;
    fail(instance, "%s is not allowed %s", function, names[instance->phase]);
    return false;
}

static inline int own_status(Instance *instance, Call call)
{
    return model.call ? model.call(&instance->context, instance->values, call) : 0;
}

/* Of inputs and outputs only, so that the parameters which decide it can be set. */
static inline int own_access_status(Instance *instance, Call call, uint32_t reference)
{
    if (!model.call || model.variable_count <= reference) return 0;
    Kind kind = model.variables[reference].kind;
    return kind == (call == CALL_SET ? INPUT : OUTPUT) ? own_status(instance, call) : 0;
}

static inline bool type_matches(const Variable *variable, Type type)
{
    return variable->type == type || (variable->type == ENUMERATION && type == INT64);
}

static inline const Variable *readable(Instance *instance, const char *function, uint32_t reference, Type type)
{
    if (reference < model.variable_count && type_matches(&model.variables[reference], type))
        return &model.variables[reference];
    fail(instance, "%s: no variable of this type has the value reference %u", function, (unsigned)reference);
    return NULL;
}

static inline unsigned phases_to_set(Kind kind)
{
    unsigned before = IN(INSTANTIATED) | IN(INITIALIZATION);
    switch (kind) {
        case STRUCTURAL: return IN(CONFIGURATION) | IN(RECONFIGURATION);
        case FIXED: case LOCAL: return before;
        case TUNABLE: case INPUT: return before | IN(EVENT_MODE) | IN(STEP_MODE) | IN(CONTINUOUS_MODE);
        default: return 0;
    }
}

static inline const Variable *writable(Instance *instance, const char *function, uint32_t reference, Type type)
{
    const Variable *variable = readable(instance, function, reference, type);
    if (!variable) return NULL;
    if (phases_to_set(variable->kind) & IN(instance->phase)) return variable;
    fail(instance, "%s: variable %u must not be set now", function, (unsigned)reference);
    return NULL;
}

static inline size_t element_count(const Instance *instance, uint32_t reference)
{
    size_t resized = model.count ? model.count(instance->values, reference) : 0;
    return resized ? resized : model.variables[reference].count;
}

static inline void *place(const Instance *instance, const Variable *variable)
{
    return (char *)instance->values + variable->offset;
}

static inline size_t element_size(Type type)
{
    switch (type) {
        case INT8: case UINT8: return 1;
        case INT16: case UINT16: return 2;
        case FLOAT32: case INT32: case UINT32: return 4;
        case BOOLEAN: case CLOCK: return sizeof(bool);
        case STRING: return sizeof(String);
        case BINARY: return sizeof(Binary);
        default: return 8;
    }
}

static inline Status wrong_count(const Instance *instance, const char *function, size_t given)
{
    return fail(instance, "%s: %zu values do not fit the variables", function, given);
}

static inline Status get_plain(Instance *instance, const char *function, Type type, const uint32_t *references,
                               size_t n,
                 void *values, size_t count)
{
    size_t size = element_size(type), done = 0;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = readable(instance, function, references[i], type);
        if (!variable) return ERROR;
        if (variable->kind == INPUT && WARNING < own_status(instance, CALL_GET_INPUT))
            return fail(instance, "%s: the input %u cannot be read", function, (unsigned)references[i]);
        size_t elements = element_count(instance, references[i]);
        if (count - done < elements) return wrong_count(instance, function, count);
        memcpy((char *)values + done * size, place(instance, variable), elements * size);
        done += elements;
    }
    return done == count ? OK : wrong_count(instance, function, count);
}

static inline Status set_plain(Instance *instance, const char *function, Type type, const uint32_t *references,
                               size_t n,
                 const void *values, size_t count)
{
    size_t size = element_size(type), done = 0;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = writable(instance, function, references[i], type);
        if (!variable) return ERROR;
        size_t elements = element_count(instance, references[i]);
        if (count - done < elements) return wrong_count(instance, function, count);
        memcpy(place(instance, variable), (const char *)values + done * size, elements * size);
        done += elements;
    }
    instance->dirty = true;
    return done == count ? OK : wrong_count(instance, function, count);
}

static inline Status get_strings(Instance *instance, const char *function, const uint32_t *references, size_t n,
                   const char **values, size_t count)
{
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = readable(instance, function, references[i], STRING);
        if (!variable) return ERROR;
        size_t elements = element_count(instance, references[i]);
        if (count - done < elements) return wrong_count(instance, function, count);
        const String *strings = place(instance, variable);
        for (size_t j = 0; j < elements; j++) values[done++] = strings[j].text;
    }
    return done == count ? OK : wrong_count(instance, function, count);
}

static inline Status set_strings(Instance *instance, const char *function, const uint32_t *references, size_t n,
                   const char *const *values, size_t count)
{
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        const Variable *variable = writable(instance, function, references[i], STRING);
        if (!variable) return ERROR;
        size_t elements = element_count(instance, references[i]);
        if (count - done < elements) return wrong_count(instance, function, count);
        String *strings = place(instance, variable);
        for (size_t j = 0; j < elements; j++, done++) {
            if (STRING_MAX <= strlen(values[done])) return fail(instance, "%s: the string is too long", function);
            strcpy(strings[j].text, values[done]);
        }
    }
    instance->dirty = true;
    return done == count ? OK : wrong_count(instance, function, count);
}

static inline Status refresh(Instance *instance)
{
    if (!instance->dirty) return OK;
    instance->dirty = false;
    if (instance->phase == INITIALIZATION && model.initialize)
        return model.initialize(&instance->context, instance->values);
    if (instance->phase == INITIALIZATION || instance->phase == EVENT_MODE || instance->phase == CONTINUOUS_MODE)
        if (model.outputs) model.outputs(instance->values);
    return OK;
}

static inline Status advance(Instance *instance, Step *step)
{
    double *time = instance->values;
    if (1e-9 * fmax(1.0, fabs(*time)) < fabs(step->start - *time))
        return fail(instance, "a step from %.17g was asked for, but the time is %.17g", step->start, *time);
    *time = step->start;
    step->reached = step->start + step->length;
    Status status = model.step(&instance->context, instance->values, step);
    if (ERROR <= status) return status;
    /* A model that overshoots still expects its next step where this one was to end. */
    *time = step->early || status == DISCARD ? step->reached : step->start + step->length;
    instance->last_time = step->reached;
    instance->terminate = step->terminate;
    if (model.outputs) model.outputs(instance->values);
    instance->dirty = false;
    return status;
}

static inline double *member(const Instance *instance, size_t offset)
{
    return (double *)((char *)instance->values + offset);
}

static inline size_t vector_count(const Instance *instance, Vector vector)
{
    const Exchange *exchange = model.exchange;
    if (vector == INDICATORS) return exchange->indicator_count;
    return exchange->count ? exchange->count(instance->values) : exchange->state_count;
}

static inline Status exchange_allowed(Instance *instance, const char *function, unsigned phases)
{
    if (!instance) return ERROR;
    if (!instance->exchange) return fail(instance, "%s is not supported", function);
    return allowed(instance, function, phases) ? OK : ERROR;
}

static inline Status get_vector(Instance *instance, const char *function, Vector vector, double *values, size_t count)
{
    unsigned phases = IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(TERMINATED);
    Status status = exchange_allowed(instance, function, phases);
    if (status != OK) return status;
    if (count != vector_count(instance, vector)) return wrong_count(instance, function, count);
    status = refresh(instance);
    if (WARNING < status) return status;
    const Exchange *exchange = model.exchange;
    switch (vector) {
        case STATES: memcpy(values, member(instance, exchange->states), count * sizeof *values); break;
        case DERIVATIVES: memcpy(values, member(instance, exchange->derivatives), count * sizeof *values); break;
        case INDICATORS: memcpy(values, member(instance, exchange->indicators), count * sizeof *values); break;
        case NOMINALS:
            for (size_t i = 0; i < count; i++) values[i] = 1.0;
            if (exchange->nominals) exchange->nominals(instance->values, values);
    }
    return status;
}

/* States that are no numbers are refused in a way that lets a solver try a shorter step. */
static inline Status set_states(Instance *instance, const char *function, const double *values, size_t count)
{
    Status status = exchange_allowed(instance, function, IN(CONTINUOUS_MODE));
    if (status != OK) return status;
    if (count != vector_count(instance, STATES)) return wrong_count(instance, function, count);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) continue;
        instance->context.log(&instance->context, DISCARD, "%s: state %zu is %g", function, i, values[i]);
        return DISCARD;
    }
    memcpy(member(instance, model.exchange->states), values, count * sizeof *values);
    instance->dirty = true;
    return OK;
}

static inline Status set_time(Instance *instance, const char *function, double time)
{
    Status status = exchange_allowed(instance, function, IN(CONTINUOUS_MODE));
    if (status != OK) return status;
    *(double *)instance->values = time;
    instance->dirty = true;
    return OK;
}

static inline Status completed_step(Instance *instance, const char *function, bool *event)
{
    Status status = exchange_allowed(instance, function, IN(CONTINUOUS_MODE));
    *event = status == OK && model.exchange->completed && model.exchange->completed(instance->values);
    return status;
}

static inline Status change_mode(Instance *instance, const char *function, Phase from, Phase to)
{
    Status status = exchange_allowed(instance, function, IN(from));
    if (status != OK) return status;
    instance->phase = to;
    instance->dirty = true;
    return OK;
}

static inline size_t state_size(void)
{
    return sizeof(StateHead) + model.size;
}

static inline void *state_get(const Instance *instance)
{
    StateHead *head = calloc(1, state_size());
    if (!head) return NULL;
    head->size = state_size();
    strncpy(head->token, model.token, sizeof head->token - 1);
    head->phase = instance->phase;
    head->dirty = instance->dirty;
    head->terminate = instance->terminate;
    head->last_time = instance->last_time;
    memcpy(head + 1, instance->values, model.size);
    return head;
}

static inline void state_set(Instance *instance, const void *state)
{
    const StateHead *head = state;
    instance->phase = (Phase)head->phase;
    instance->dirty = head->dirty;
    instance->terminate = head->terminate;
    instance->last_time = head->last_time;
    memcpy(instance->values, head + 1, model.size);
    own_status(instance, CALL_STATE_WAS_SET);
}

static inline size_t serialized_size(const void *state)
{
    return state_size() + (model.padding ? model.padding((const StateHead *)state + 1) : 0);
}

static inline void serialize(const void *state, void *bytes)
{
    memset(bytes, 0, serialized_size(state));
    memcpy(bytes, state, state_size());
}

static inline bool state_fits(const void *bytes, size_t size)
{
    StateHead head;
    if (size < state_size()) return false;
    memcpy(&head, bytes, sizeof head);
    if (head.size != state_size() || size != serialized_size(bytes)) return false;
    return strncmp(head.token, model.token, sizeof head.token - 1) == 0;
}

#endif
