/* What `delay(...)` remembers: values at the ends of steps, and between them cubic polynomials. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

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

static double entry(const Past *past, size_t buffer, size_t i) { return past->values[i * past->width + buffer]; }

/* Two neighbors: how far apart they are, and the slope between them; false if one is missing or an event is between. */
static bool secant(const Past *past, size_t buffer, size_t left, double *width, double *rise)
{
    const double *t = past->times;
    if (past->count <= left + 1 || !(t[left] < t[left + 1])) return false;
    *width = t[left + 1] - t[left];
    *rise = (entry(past, buffer, left + 1) - entry(past, buffer, left)) / *width;
    return true;
}

/* The cubic from an entry to the next, which is later; its slopes come from neighbors, never across an event. */
static double cubic(const Past *past, size_t buffer, size_t left, double time)
{
    double h = 0.0, d = 0.0, h0 = 0.0, d0 = 0.0, h1 = 0.0, d1 = 0.0, from, to, x, u;
    bool has_left = 0 < left && secant(past, buffer, left - 1, &h0, &d0);
    bool has_right = secant(past, buffer, left + 1, &h1, &d1);
    secant(past, buffer, left, &h, &d);
    from = has_left ? (d0 * h + d * h0) / (h0 + h) : has_right ? d + (d - d1) * h / (h + h1) : d;
    to = has_right ? (d * h1 + d1 * h) / (h + h1) : has_left ? d + (d - d0) * h / (h0 + h) : d;
    x = time - past->times[left];
    u = x / h;
    return entry(past, buffer, left) + x * (from + u * ((3.0 * d - 2.0 * from - to) + u * (from + to - 2.0 * d)));
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

double past_at(const Past *past, size_t buffer, double time)
{
    const double *t = past->times;
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
    return cubic(past, buffer, i, time);
}

/* Drops what nobody will ask for any more; three entries before it are needed for slopes. */
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
    past->times[past->count] = instance->time;
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
