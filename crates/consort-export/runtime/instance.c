/* The values of an instance and its life. */
#include "runtime.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DERIVATIVES, OUTPUTS, LOCALS, INDICATORS, GROUPS };

static size_t at_least_one(size_t count) { return count ? count : 1; }

static size_t greatest(size_t a, size_t b) { return a < b ? b : a; }

/* Results of the longest program. */
static size_t results_max(void)
{
    size_t most = greatest(model.states + model.discretes, greatest(model.outputs, model.locals));
    most = greatest(most, greatest(model.indicators, model.instants));
    return greatest(greatest(most, model.delays), greatest(model.targets_max, 1));
}

static size_t entries_max(void)
{
    size_t a = greatest(model.by_state.entries, model.by_input.entries);
    return greatest(a, greatest(model.output_by_state.entries, model.output_by_input.entries));
}

static double *doubles(size_t count) { return calloc(at_least_one(count), sizeof(double)); }

static bool allocate(Instance *instance)
{
    const size_t counts[GROUPS] = { model.states, model.outputs, model.locals, model.indicators };
    bool is_whole = true;
    size_t i;
    instance->point = doubles(point_size() + 1);
    instance->memory = calloc(at_least_one(model.events), 1);
    instance->conditions = calloc(at_least_one(model.events), 1);
    instance->sides = calloc(at_least_one(model.indicators), 1);
    instance->is_set = calloc(at_least_one(model.states + model.discretes), 1);
    for (i = 0; i < GROUPS; i++) {
        instance->computed[i] = doubles(counts[i]);
        is_whole = is_whole && instance->computed[i];
    }
    instance->work = doubles(model.work_size);
    instance->values = doubles(results_max());
    instance->entries = doubles(entries_max());
    instance->seed = doubles(model.states + model.inputs + model.outputs);
    instance->sensitivity = doubles(model.states + model.inputs + model.outputs);
    instance->durations = doubles(model.delays);
    instance->past.width = model.delays;
    instance->breaks = calloc(model.delays ? BREAKS_MAX + 1 : 1, sizeof *instance->breaks);
    return is_whole && instance->point && instance->memory && instance->conditions && instance->sides
        && instance->is_set && instance->work && instance->values && instance->entries && instance->seed
        && instance->sensitivity && instance->durations && instance->breaks && (!model.delays || past_reserve(&instance->past, 64))
        && queue_reserve(instance, model.events);
}

Instance *instance_new(Kind kind, const char *name)
{
    Instance *instance = calloc(1, sizeof *instance);
    size_t length = strlen(name);
    if (!instance) return NULL;
    instance->kind = kind;
    instance->name = malloc(length + 1);
    if (kind == COSIMULATION) instance->solver = solver_new();
    if (!instance->name || !allocate(instance) || (kind == COSIMULATION && !instance->solver)) {
        instance_free(instance);
        return NULL;
    }
    memcpy(instance->name, name, length + 1);
    instance_reset(instance);
    return instance;
}

void instance_free(Instance *instance)
{
    size_t i;
    if (!instance) return;
    for (i = 0; i < GROUPS; i++) free(instance->computed[i]);
    free(instance->name);
    free(instance->point);
    free(instance->memory);
    free(instance->conditions);
    free(instance->sides);
    free(instance->is_set);
    free(instance->work);
    free(instance->values);
    free(instance->entries);
    free(instance->seed);
    free(instance->sensitivity);
    free(instance->durations);
    free(instance->queue);
    free(instance->queue_values);
    free(instance->past.times);
    free(instance->past.values);
    free(instance->breaks);
    solver_free(instance->solver);
    free(instance);
}

void instance_reset(Instance *instance)
{
    memcpy(instance->point, model.start, point_size() * sizeof(double));
    memset(instance->memory, 0, at_least_one(model.events));
    memset(instance->is_set, 0, at_least_one(model.states + model.discretes));
    instance->phase = INSTANTIATED;
    instance->start = instance->time = 0.0;
    instance->last_event = instance->crowded_since = -INFINITY;
    instance->crowd = 0;
    instance->next_event = INFINITY;
    instance->is_first = instance->is_still = false;
    instance->tolerance = model.tolerance;
    instance->step_size = 0.0;
    instance->is_disturbed = false;
    instance->sequence = instance->draws = 0;
    instance->queue_count = 0;
    instance->past.count = instance->break_count = 0;
    forget(instance);
}

Status fail(const Instance *instance, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    instance->log(instance, ERROR, text);
    return ERROR;
}

bool allowed(const Instance *instance, const char *function, unsigned phases)
{
    static const char *const names[] = { "before initialization", "in initialization mode", "in event mode",
                                         "in continuous-time mode", "in step mode", "after termination",
                                         "after a failure" };
    if (phases & IN(instance->phase)) return true;
    fail(instance, "%s is not allowed %s", function, names[instance->phase]);
    return false;
}

bool is_of(const Instance *instance, const char *function, Kind kind)
{
    if (instance && instance->kind == kind) return true;
    if (instance) fail(instance, "%s belongs to the interface that this instance was not made for", function);
    return false;
}

bool is_given(const Instance *instance, const char *function, const void *pointer)
{
    if (pointer) return true;
    fail(instance, "%s: an argument is missing", function);
    return false;
}

void forget(Instance *instance)
{
    size_t i;
    for (i = 0; i < GROUPS; i++) instance->is_known[i] = false;
}

/* Looks back from just after an event that has happened, from just before one that has not: a jump arrives with its
 * event whatever rounding does to the difference of times. */
static void evaluate_on(Instance *instance, Program *program, double time, Side side, double *out)
{
    instance->point[0] = time;
    instance->point[point_size()] = (double)side;
    instance->past.from = side == BEFORE ? nextafter(time, -INFINITY)
        : time == instance->last_event ? nextafter(time, INFINITY) : time;
    program(instance->point, &instance->past, instance->work, out);
}

static Side side_of_time(const Instance *instance, double time, double open_end)
{
    if (time == instance->last_event) return instance->is_first ? AT : AFTER;
    return time == open_end ? BEFORE : AT;
}

void evaluate_at(Instance *instance, Program *program, double time, double open_end, double *out)
{
    if (open_end < time) time = open_end;
    evaluate_on(instance, program, time, side_of_time(instance, time, open_end), out);
}

void evaluate(Instance *instance, Program *program, double *out)
{
    evaluate_on(instance, program, instance->time, side_of_time(instance, instance->time, instance->next_event), out);
}

/* What others see: the values of the instant itself, until a solver asks for what comes after it. */
static void show(Instance *instance, Program *program, double *out)
{
    bool is_event_mode = instance->phase == EVENT_MODE;
    bool is_now = instance->is_still && !is_event_mode && instance->time == instance->last_event;
    if (is_now) evaluate_on(instance, program, instance->time, AT, out);
    else evaluate(instance, program, out);
}

void indicate(Instance *instance, double *indicators)
{
    size_t i;
    evaluate(instance, model.indicate, indicators);
    for (i = 0; i < model.indicators; i++) {
        if (model.indicator[i].is_instant) indicators[i] = 1.0;
        /* Zero counts as not above zero; some solvers overlook what leaves an exact zero. */
        if (indicators[i] == 0.0) indicators[i] = -DBL_MIN;
    }
}

/* First values follow what was set; those that were set from outside stay. */
static void refresh_initial(Instance *instance)
{
    double *first = instance->point + first_state();
    size_t i;
    if (instance->phase != INITIALIZATION) return;
    evaluate(instance, model.initial, instance->values);
    for (i = 0; i < model.states + model.discretes; i++)
        if (!instance->is_set[i]) first[i] = instance->values[i];
    past_begin(instance);
    forget(instance);
}

Status enter_initialization(Instance *instance, double start)
{
    if (!isfinite(start)) return fail(instance, "the start time %g is not a number", start);
    instance->start = instance->time = start;
    instance->phase = INITIALIZATION;
    refresh_initial(instance);
    return OK;
}

Status exit_initialization(Instance *instance)
{
    Status status;
    refresh_initial(instance);
    past_settle(instance);
    status = first_look(instance);
    if (status == OK && instance->kind == COSIMULATION) status = update_all(instance);
    instance->phase = status != OK ? FAILED : instance->kind == EXCHANGE ? EVENT_MODE : STEP_MODE;
    return status;
}

/* The results of a group of programs, computed if they are not known. */
static const double *known(Instance *instance, int group)
{
    double *out = instance->computed[group];
    if (instance->is_known[group]) return out;
    switch (group) {
        case DERIVATIVES: evaluate(instance, model.derivative, out); break;
        case OUTPUTS: show(instance, model.output, out); break;
        case LOCALS: show(instance, model.local, out); break;
        default: indicate(instance, out); break;
    }
    instance->is_known[group] = true;
    return out;
}

static double value_of(Instance *instance, size_t reference)
{
    if (reference == 0) return instance->time;
    if (reference < point_size()) return instance->point[reference];
    if (reference < first_output()) return known(instance, DERIVATIVES)[reference - first_derivative()];
    if (reference < first_local()) return known(instance, OUTPUTS)[reference - first_output()];
    if (reference < first_indicator()) return known(instance, LOCALS)[reference - first_local()];
    return known(instance, INDICATORS)[reference - first_indicator()];
}

#define READ_PHASES (IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE) | IN(TERMINATED) \
                     | IN(FAILED))

Status get_values(Instance *instance, const char *function, const uint32_t *references, size_t n, double *values)
{
    size_t i;
    if (!allowed(instance, function, READ_PHASES)) return ERROR;
    refresh_initial(instance);
    for (i = 0; i < n; i++) {
        if (variable_count() <= references[i])
            return fail(instance, "%s: there is no variable %u", function, (unsigned)references[i]);
        values[i] = value_of(instance, references[i]);
    }
    return OK;
}

/* Why a variable cannot be set now; NULL if it can. */
static const char *obstacle(const Instance *instance, size_t reference)
{
    bool is_before = instance->phase == INSTANTIATED || instance->phase == INITIALIZATION;
    if (variable_count() <= reference) return "does not exist";
    if (reference == 0 || point_size() <= reference) return "is computed and cannot be set";
    if (first_input() <= reference && reference < first_state()) return NULL;
    if (!is_before) return "cannot be set while the model runs";
    if (first_state() <= reference && !model.is_exact[reference - first_state()])
        return "has a first value that is computed";
    return NULL;
}

Status set_values(Instance *instance, const char *function, const uint32_t *references, size_t n, const double *values)
{
    unsigned phases = IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE);
    size_t i;
    if (!allowed(instance, function, phases)) return ERROR;
    for (i = 0; i < n; i++) {
        const char *why = obstacle(instance, references[i]);
        if (why) return fail(instance, "%s: variable %u %s", function, (unsigned)references[i], why);
    }
    for (i = 0; i < n; i++) {
        instance->point[references[i]] = values[i];
        if (first_state() <= references[i]) instance->is_set[references[i] - first_state()] = 1;
    }
    instance->is_disturbed = true;
    forget(instance);
    return OK;
}

Status set_time(Instance *instance, const char *function, double time)
{
    if (!allowed(instance, function, IN(CONTINUOUS_MODE))) return ERROR;
    if (!isfinite(time)) return fail(instance, "%s: %g is no time", function, time);
    if (time == instance->time && !instance->is_still) return OK;
    instance->time = time;
    instance->is_still = false;
    forget(instance);
    return OK;
}

/* Whether as many numbers are given as there are. */
static bool fits(const Instance *instance, const char *function, size_t given, size_t count)
{
    if (given == count) return true;
    fail(instance, "%s: %lu values where there are %lu", function, (unsigned long)given, (unsigned long)count);
    return false;
}

Status set_states(Instance *instance, const char *function, const double *states, size_t n)
{
    if (!allowed(instance, function, IN(CONTINUOUS_MODE)) || !fits(instance, function, n, model.states)) return ERROR;
    if (n) memcpy(instance->point + first_state(), states, n * sizeof(double));
    instance->is_still = false;
    forget(instance);
    return OK;
}

static Status give(const double *from, double *to, size_t n)
{
    if (n) memcpy(to, from, n * sizeof(double));
    return OK;
}

static bool may_ask(Instance *instance, const char *function, size_t n, size_t count)
{
    if (!allowed(instance, function, READ_PHASES) || !fits(instance, function, n, count)) return false;
    refresh_initial(instance);
    return true;
}

Status get_states(Instance *instance, const char *function, double *states, size_t n)
{
    if (!may_ask(instance, function, n, model.states)) return ERROR;
    return give(instance->point + first_state(), states, n);
}

Status get_derivatives(Instance *instance, const char *function, double *derivatives, size_t n)
{
    if (!may_ask(instance, function, n, model.states)) return ERROR;
    return give(known(instance, DERIVATIVES), derivatives, n);
}

Status get_indicators(Instance *instance, const char *function, double *indicators, size_t n)
{
    if (!may_ask(instance, function, n, model.indicators)) return ERROR;
    return give(known(instance, INDICATORS), indicators, n);
}

Status get_nominals(Instance *instance, const char *function, double *nominals, size_t n)
{
    if (!may_ask(instance, function, n, model.states)) return ERROR;
    return give(model.nominals, nominals, n);
}

Status completed_step(Instance *instance, const char *function)
{
    if (!allowed(instance, function, IN(CONTINUOUS_MODE))) return ERROR;
    return past_step(instance);
}

Status change_mode(Instance *instance, const char *function, Phase from, Phase to)
{
    if (!allowed(instance, function, IN(from))) return ERROR;
    instance->phase = to;
    instance->is_first = false;
    forget(instance);
    return OK;
}
