/* Break points: when a jump or a kink arrives that `delay(...)` brings from the past.
 *
 * What an event makes jump, and the kink at the start, arrive a delay later, and through equations that delay
 * themselves again and again, each time smoother by one derivative. */
#include "runtime.h"

#include <string.h>

uint64_t breaks_due(Instance *instance)
{
    Break *breaks = instance->breaks;
    uint64_t least = 0;
    size_t count = 0;
    for (; count < instance->break_count && breaks[count].due <= instance->time; count++)
        if (count == 0 || breaks[count].generation < least) least = breaks[count].generation;
    if (count) memmove(breaks, breaks + count, (instance->break_count - count) * sizeof *breaks);
    instance->break_count -= count;
    return least;
}

/* Makes room: the smoothest goes, of several the one that comes last. */
static void leave_one_out(Instance *instance)
{
    Break *breaks = instance->breaks;
    size_t smoothest = 0, i;
    for (i = 1; i < instance->break_count; i++)
        if (breaks[smoothest].generation <= breaks[i].generation) smoothest = i;
    instance->break_count--;
    memmove(breaks + smoothest, breaks + smoothest + 1, (instance->break_count - smoothest) * sizeof *breaks);
}

/* Of those at one time the roughest counts. There is always room for one more than may wait. */
static void add(Instance *instance, double due, uint64_t generation)
{
    Break *breaks = instance->breaks;
    size_t at = instance->break_count;
    while (0 < at && due <= breaks[at - 1].due) at--;
    if (at < instance->break_count && breaks[at].due == due) {
        if (generation < breaks[at].generation) breaks[at].generation = generation;
        return;
    }
    memmove(breaks + at + 1, breaks + at, (instance->break_count - at) * sizeof *breaks);
    breaks[at].due = due;
    breaks[at].generation = generation;
    instance->break_count++;
    if (BREAKS_MAX < instance->break_count) leave_one_out(instance);
}

/* When it arrives: such that who looks back from just before sees what was before, as far as rounding leaves a choice. */
static double arrival(double time, double duration)
{
    double due = time + duration, before = nextafter(due, -INFINITY);
    return time <= before - duration ? before : due;
}

void breaks_follow(Instance *instance, uint64_t generation)
{
    size_t i;
    if (GENERATION_MAX <= generation) return;
    for (i = 0; i < model.delays; i++) {
        double due = arrival(instance->time, instance->durations[i]);
        if (instance->time < due && isfinite(due)) add(instance, due, generation + 1);
    }
}
