/* What happens at once: conditions, the queue of what has fired, assignments. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events that bring about each other without end are a mistake of the model. */
#define EXECUTIONS_MAX 10000
/* So are more events than this without progress: within this part of the time since the start. */
#define EVENTS_WITHOUT_PROGRESS_MAX 1000
static const double PROGRESS_FRACTION_MIN = 1e-9;
/* Near the start at least within this time. */
static const double PROGRESS_TIME_MIN = 1e-15;
/* And more that wait than this. */
#define QUEUE_MAX 1000000

#define NOTHING ((size_t)-1)

bool queue_reserve(Instance *instance, size_t count)
{
    size_t capacity = instance->queue_capacity ? instance->queue_capacity : 16;
    size_t width = model.targets_max ? model.targets_max : 1;
    Waiting *queue;
    double *values;
    if (count <= instance->queue_capacity) return true;
    while (capacity < count) capacity *= 2;
    queue = realloc(instance->queue, capacity * sizeof *queue);
    if (queue) instance->queue = queue;
    values = realloc(instance->queue_values, capacity * width * sizeof(double));
    if (values) instance->queue_values = values;
    if (!queue || !values) return false;
    instance->queue_capacity = capacity;
    return true;
}

/* Says which event is to blame. */
static Status fail_event(const Instance *instance, size_t number, const char *what)
{
    const char *name = model.event[number].name;
    if (*name) return fail(instance, "event `%s` %s at t = %.17g", name, what, instance->time);
    return fail(instance, "event %lu %s at t = %.17g", (unsigned long)number + 1, what, instance->time);
}

static double number_of(Instance *instance, Program *program)
{
    double value;
    evaluate(instance, program, &value);
    return value;
}

static double *values_of(const Instance *instance, size_t at)
{
    return instance->queue_values + at * model.targets_max;
}

/* The condition has become true: its assignments are due now, or later. */
static Status fire(Instance *instance, size_t number)
{
    const EventRow *event = &model.event[number];
    double delay = event->delay ? number_of(instance, event->delay) : 0.0;
    size_t at = instance->queue_count;
    Waiting waiting;
    if (isnan(delay) || delay < 0.0) return fail_event(instance, number, "has a delay that is not a length of time");
    if (QUEUE_MAX <= at) return fail_event(instance, number, "waits a million times");
    if (!queue_reserve(instance, at + 1)) return fail(instance, "out of memory for waiting events");
    waiting.due = instance->time + delay;
    waiting.sequence = instance->sequence++;
    waiting.event = (uint32_t)number;
    waiting.has_values = event->values_from_trigger;
    memset(values_of(instance, at), 0, model.targets_max * sizeof(double));
    if (waiting.has_values) evaluate(instance, event->assignments, values_of(instance, at));
    instance->queue[at] = waiting;
    instance->queue_count++;
    return OK;
}

/* Takes one out of the queue; the others stay in order. */
static void take_out(Instance *instance, size_t at)
{
    size_t behind = instance->queue_count - at - 1;
    memmove(instance->queue + at, instance->queue + at + 1, behind * sizeof(Waiting));
    memmove(values_of(instance, at), values_of(instance, at + 1), behind * model.targets_max * sizeof(double));
    instance->queue_count--;
}

static void withdraw(Instance *instance, size_t number)
{
    size_t at = 0;
    while (at < instance->queue_count) {
        if (instance->queue[at].event == number) take_out(instance, at);
        else at++;
    }
}

static void look_at_conditions(Instance *instance)
{
    size_t i;
    for (i = 0; i < model.events; i++)
        instance->conditions[i] = number_of(instance, model.event[i].condition) != 0.0;
}

bool has_condition_changed(Instance *instance)
{
    look_at_conditions(instance);
    return memcmp(instance->conditions, instance->memory, model.events) != 0;
}

/* Fires what has become true, and withdraws what no longer holds. */
static Status look(Instance *instance)
{
    size_t i;
    look_at_conditions(instance);
    for (i = 0; i < model.events; i++) {
        bool held = instance->memory[i], holds = instance->conditions[i];
        if (!held && holds && fire(instance, i) != OK) return ERROR;
        if (held && !holds && !model.event[i].persistent) withdraw(instance, i);
        instance->memory[i] = holds;
    }
    return OK;
}

Status first_look(Instance *instance)
{
    size_t i;
    look_at_conditions(instance);
    for (i = 0; i < model.events; i++) {
        bool fires = instance->conditions[i] && !model.event[i].initially;
        if (fires && fire(instance, i) != OK) return ERROR;
        instance->memory[i] = instance->conditions[i];
    }
    return OK;
}

static double priority_of(Instance *instance, const Waiting *waiting)
{
    Program *program = model.event[waiting->event].priority;
    double priority = program ? number_of(instance, program) : -INFINITY;
    return isnan(priority) ? -INFINITY : priority;
}

/* Of two that are due: whether the first comes before the second. */
static bool comes_before(const Waiting *a, double a_priority, const Waiting *b, double b_priority)
{
    if (a_priority != b_priority) return b_priority < a_priority;
    if (a->due != b->due) return a->due < b->due;
    if (a->event != b->event) return a->event < b->event;
    return a->sequence < b->sequence;
}

/* A number that no other of the instance's draws tells; the seed is fixed, so that every run draws the same ones. */
static uint64_t draw(Instance *instance)
{
    uint64_t word = ++instance->draws * UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

/* Of all that are due together with the best and have its priority, one that is drawn. Those of infinite priority are
   made by the reader of the model and have their order. */
static size_t drawn(Instance *instance, size_t best, double priority)
{
    size_t at, count = 0, chosen = best;
    if (!model.events_are_unordered || !(priority < INFINITY)) return best;
    for (at = 0; at < instance->queue_count; at++)
        if (instance->queue[at].due <= instance->queue[best].due) count += priority <= priority_of(instance, &instance->queue[at]);
    if (count < 2) return best;
    count = (size_t)(draw(instance) % count);
    for (at = 0; at < instance->queue_count; at++) {
        if (!(instance->queue[at].due <= instance->queue[best].due)) continue;
        if (!(priority <= priority_of(instance, &instance->queue[at]))) continue;
        chosen = at;
        if (count-- == 0) break;
    }
    return chosen;
}

/* The place of what is to be executed next. */
static size_t next_due(Instance *instance)
{
    size_t best = NOTHING, at;
    double best_priority = 0.0;
    for (at = 0; at < instance->queue_count; at++) {
        const Waiting *waiting = &instance->queue[at];
        double priority;
        if (!(waiting->due <= instance->time)) continue;
        priority = priority_of(instance, waiting);
        if (best != NOTHING && !comes_before(waiting, priority, &instance->queue[best], best_priority)) continue;
        best = at;
        best_priority = priority;
    }
    return best == NOTHING ? best : drawn(instance, best, best_priority);
}

static void assign(Instance *instance, size_t place, double value)
{
    bool is_state = first_state() <= place && place < first_discrete();
    if (is_state && memcmp(&instance->point[place], &value, sizeof value)) instance->states_changed = true;
    instance->point[place] = value;
}

static void execute(Instance *instance, size_t at)
{
    const EventRow *event = &model.event[instance->queue[at].event];
    size_t i;
    if (instance->queue[at].has_values)
        memcpy(instance->values, values_of(instance, at), event->target_count * sizeof(double));
    else
        evaluate(instance, event->assignments, instance->values);
    take_out(instance, at);
    for (i = 0; i < event->target_count; i++) assign(instance, event->targets[i], instance->values[i]);
    forget(instance);
}

/* Whether a comparison with time is about to change. */
static bool is_instant_now(Instance *instance)
{
    size_t i;
    evaluate(instance, model.instant, instance->values);
    for (i = 0; i < model.instants; i++)
        if (instance->values[i] == instance->time) return true;
    return false;
}

/* Through how many delays that has come which arrives now; zero if something else is due by the clock as well. */
static uint64_t arrived(Instance *instance)
{
    uint64_t generation = breaks_due(instance);
    return generation && is_instant_now(instance) ? 0 : generation;
}

/* When something will be due that is known ahead. */
static double next_event(Instance *instance)
{
    double next = instance->break_count ? instance->breaks[0].due : INFINITY;
    size_t i;
    for (i = 0; i < instance->queue_count; i++)
        if (instance->queue[i].due < next) next = instance->queue[i].due;
    evaluate(instance, model.instant, instance->values);
    for (i = 0; i < model.instants; i++)
        if (instance->time < instance->values[i] && instance->values[i] < next) next = instance->values[i];
    return next;
}

/* Refuses events that follow each other so closely that time stands still. */
static Status count(Instance *instance)
{
    double time = instance->time;
    double close = PROGRESS_FRACTION_MIN * (time - instance->start);
    if (close < PROGRESS_TIME_MIN) close = PROGRESS_TIME_MIN;
    if (close < time - instance->crowded_since) {
        instance->crowded_since = time;
        instance->crowd = 0;
    }
    if (++instance->crowd <= EVENTS_WITHOUT_PROGRESS_MAX) return OK;
    return fail(instance, "events follow each other without end at t = %.17g; give what switches back and forth a "
                "hysteresis, or a state of its own", time);
}

/* Executes what fires and is due until nothing is. */
static Status run_queue(Instance *instance, size_t *executions)
{
    size_t at;
    if (look(instance) != OK) return ERROR;
    while ((at = next_due(instance)) != NOTHING) {
        if (EXECUTIONS_MAX < ++*executions)
            return fail_event(instance, instance->queue[at].event, "and others bring about each other without end");
        execute(instance, at);
        if (look(instance) != OK) return ERROR;
    }
    return OK;
}

/* In the first microstep at a time it is what it is; in those that follow it is more than every instant up to now. */
static Status microstep(Instance *instance)
{
    size_t executions = 0;
    uint64_t generation, fired = instance->sequence;
    if (past_step(instance) != OK || (!instance->is_first && count(instance) != OK)) return ERROR;
    instance->is_first = false;
    generation = arrived(instance);
    instance->is_first = instance->last_event != instance->time;
    instance->is_still = true;
    instance->last_event = instance->time;
    instance->states_changed = false;
    forget(instance);
    if (run_queue(instance, &executions) != OK || past_event(instance) != OK) return ERROR;
    breaks_follow(instance, executions || fired < instance->sequence ? 0 : generation);
    instance->next_event = next_event(instance);
    instance->is_first = instance->is_first && is_instant_now(instance);
    return OK;
}

Status update(Instance *instance)
{
    double now = instance->time;
    bool has_changed = false;
    /* Importers take a time event and a point of theirs for one if they are close: what is due is handled at its time. */
    while (instance->last_event < instance->next_event && instance->next_event < now) {
        instance->time = instance->next_event;
        do {
            if (microstep(instance) != OK) return ERROR;
            has_changed = has_changed || instance->states_changed;
        } while (instance->is_first);
        instance->time = now;
    }
    if (microstep(instance) != OK) return ERROR;
    instance->states_changed = instance->states_changed || has_changed;
    return OK;
}

Status update_all(Instance *instance)
{
    do {
        if (update(instance) != OK) return ERROR;
    } while (instance->is_first);
    return OK;
}
