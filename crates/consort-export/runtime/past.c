/* What `delay(...)` remembers: values at the ends of steps, and between them cubic polynomials. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* As many entries decide what is between two of them. */
enum { POINTS = 4 };

bool past_reserve(Past *past, size_t count)
{
    size_t capacity = past->capacity ? past->capacity : 64;
    double *times, *values;
    if (count <= past->capacity) return true;
    while (capacity < count) capacity *= 2;
    times = realloc(past->times, capacity * sizeof(double));
    if (times) past->times = times;
    values = realloc(past->values, capacity * (past->width ? past->width : 1) * sizeof(double));
    if (values) past->values = values;
    if (!times || !values) return false;
    past->capacity = capacity;
    return true;
}

void past_begin(Instance *instance)
{
    Past *past = &instance->past;
    size_t i;
    if (!model.delays) return;
    past->count = 1;
    past->times[0] = instance->time;
    for (i = 0; i < past->width; i++) past->values[i] = NAN;
    /* What is remembered may be delayed itself: each round knows one more. */
    for (i = 0; i < model.delays; i++) {
        evaluate(instance, model.remembered, instance->values);
        memcpy(past->values, instance->values, past->width * sizeof(double));
    }
}

void past_settle(Instance *instance)
{
    size_t i;
    evaluate(instance, model.durations, instance->durations);
    for (i = 0; i < model.delays; i++)
        if (!model.is_duration_fixed[i]) instance->durations[i] = INFINITY;
}

double past_step_max(const Instance *instance)
{
    double shortest = INFINITY, part = 3.0 * sqrt(sqrt(instance->tolerance));
    size_t i;
    for (i = 0; i < model.delays; i++)
        if (0.0 < instance->durations[i] && instance->durations[i] < shortest) shortest = instance->durations[i];
    return part < 1.0 ? part * shortest : shortest;
}

static double entry(const Past *past, size_t buffer, size_t i) { return past->values[i * past->width + buffer]; }

/* Whether an entry and the next are on one side of all events. */
static bool joins(const Past *past, size_t at)
{
    return at + 1 < past->count && past->times[at] < past->times[at + 1];
}

/* The first and the last of the entries that belong to those at `left` and right of it: a neighbor on each side, or two
 * on one; never across an event, and no second one for a look ahead. */
static void neighborhood(const Past *past, size_t left, bool is_ahead, size_t *first, size_t *last)
{
    int round;
    *first = left;
    *last = left + 1;
    for (round = is_ahead; round < 2; round++) {
        if (*last - *first + 1 < POINTS && 0 < *first && joins(past, *first - 1)) --*first;
        if (*last - *first + 1 < POINTS && joins(past, *last)) ++*last;
    }
}

/* The polynomial through the entries from `left` to the next, which is later, and their neighbors. */
static double polynomial(const Past *past, size_t buffer, size_t left, double time)
{
    const double *t = past->times;
    double differences[POINTS], value;
    size_t first, last, count, order, i;
    neighborhood(past, left, t[left + 1] < time, &first, &last);
    count = last - first + 1;
    t += first;
    for (i = 0; i < count; i++) differences[i] = entry(past, buffer, first + i);
    for (order = 1; order < count; order++)
        for (i = count - 1; order <= i; i--)
            differences[i] = (differences[i] - differences[i - 1]) / (t[i] - t[i - order]);
    value = differences[count - 1];
    for (i = count - 1; 0 < i; i--) value = differences[i - 1] + (time - t[i - 1]) * value;
    return value;
}

/* The last entry at or before a time; there is one. */
static size_t find(const Past *past, double time)
{
    size_t low = 0, high = past->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (past->times[middle] <= time) low = middle;
        else high = middle;
    }
    return low;
}

double past_ago(const Past *past, size_t buffer, double seconds)
{
    const double *t = past->times;
    double time = past->from - seconds;
    size_t i;
    if (past->count == 0) return NAN;
    if (!(t[0] <= time)) return entry(past, buffer, 0);
    i = find(past, time);
    if (time == t[i] || past->count == 1) return entry(past, buffer, i);
    if (i + 1 == past->count) {
        /* Right after an event nothing is known of where it goes. */
        if (t[i - 1] == t[i]) return entry(past, buffer, i);
        i--;
    }
    return polynomial(past, buffer, i, time);
}

/* Drops values that are no longer needed; three entries before it are its neighbors. */
static void prune(Instance *instance)
{
    Past *past = &instance->past;
    double longest = 0.0;
    size_t i, first;
    for (i = 0; i < model.delays; i++) {
        if (!isfinite(instance->durations[i])) return;
        if (longest < instance->durations[i]) longest = instance->durations[i];
    }
    if (!(past->times[0] < instance->time - longest)) return;
    first = find(past, instance->time - longest);
    while (0 < first && past->times[first] == instance->time - longest) first--;
    if (first <= 3) return;
    first -= 3;
    past->count -= first;
    memmove(past->times, past->times + first, past->count * sizeof(double));
    memmove(past->values, past->values + first * past->width, past->count * past->width * sizeof(double));
}

static double *last_values(Past *past) { return past->values + (past->count - 1) * past->width; }

static Status append(Instance *instance)
{
    Past *past = &instance->past;
    evaluate(instance, model.remembered, instance->values);
    if (past->capacity <= past->count) prune(instance);
    if (!past_reserve(past, past->count + 1)) return fail(instance, "out of memory for what `delay` remembers");
    /* What is handled late is not put before what was. */
    past->times[past->count] = fmax(instance->time, past->times[past->count - 1]);
    past->count++;
    memcpy(last_values(past), instance->values, past->width * sizeof(double));
    forget(instance);
    return OK;
}

Status past_step(Instance *instance)
{
    const Past *past = &instance->past;
    if (!model.delays || instance->time <= past->times[past->count - 1]) return OK;
    return append(instance);
}

Status past_event(Instance *instance) { return model.delays ? append(instance) : OK; }
