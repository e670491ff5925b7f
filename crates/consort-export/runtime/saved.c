/* Saved states: one block of 64-bit words, that is written as bytes with the least first. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x3474726f736e6f43)   /* "Consort4" */

struct Saved {
    size_t count;
    uint64_t words[1];   /* `count` of them */
};

/* The words before the point. */
enum {
    WORD_MAGIC, WORD_FINGERPRINT, WORD_COUNT, WORD_KIND, WORD_PHASE, WORD_START, WORD_TIME, WORD_LAST_EVENT,
    WORD_NEXT_EVENT, WORD_FIRST, WORD_STILL, WORD_CROWDED_SINCE, WORD_CROWD, WORD_TOLERANCE, WORD_STEP_SIZE, WORD_DISTURBED, WORD_SEQUENCE, WORD_DRAWS,
    WORD_QUEUE, WORD_PAST, WORD_BREAKS, WORDS
};

/* Words of a waiting event before its values, and of a break. */
enum { WAITING_WORDS = 4, BREAK_WORDS = 2 };

static uint64_t word_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double number_of(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static size_t fixed_count(void)
{
    return WORDS + point_size() + model.events + model.states + model.discretes;
}

static size_t word_count(size_t queue, size_t breaks, size_t past)
{
    return fixed_count() + queue * (WAITING_WORDS + model.targets_max) + breaks * BREAK_WORDS
        + past * (1 + model.delays);
}

static Saved *saved_new(size_t count)
{
    Saved *saved = malloc(sizeof *saved + count * sizeof(uint64_t));
    if (saved) saved->count = count;
    return saved;
}

/* Copies numbers from or to words; where the next begin. */
static uint64_t *put(uint64_t *words, const double *from, size_t n)
{
    if (n) memcpy(words, from, n * sizeof *words);
    return words + n;
}

static const uint64_t *take(const uint64_t *words, double *to, size_t n)
{
    if (n) memcpy(to, words, n * sizeof *words);
    return words + n;
}

static uint64_t *put_flags(uint64_t *words, const unsigned char *from, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) words[i] = from[i];
    return words + n;
}

static const uint64_t *take_flags(const uint64_t *words, unsigned char *to, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) to[i] = (unsigned char)words[i];
    return words + n;
}

static void put_head(const Instance *instance, uint64_t *words, size_t count)
{
    words[WORD_MAGIC] = MAGIC;
    words[WORD_FINGERPRINT] = model.fingerprint;
    words[WORD_COUNT] = count;
    words[WORD_KIND] = (uint64_t)instance->kind;
    words[WORD_PHASE] = (uint64_t)instance->phase;
    words[WORD_TIME] = word_of(instance->time);
    words[WORD_LAST_EVENT] = word_of(instance->last_event);
    words[WORD_NEXT_EVENT] = word_of(instance->next_event);
    words[WORD_FIRST] = instance->is_first;
    words[WORD_STILL] = instance->is_still;
    words[WORD_START] = word_of(instance->start);
    words[WORD_CROWDED_SINCE] = word_of(instance->crowded_since);
    words[WORD_CROWD] = instance->crowd;
    words[WORD_TOLERANCE] = word_of(instance->tolerance);
    words[WORD_STEP_SIZE] = word_of(instance->step_size);
    words[WORD_DISTURBED] = instance->is_disturbed;
    words[WORD_SEQUENCE] = instance->sequence;
    words[WORD_DRAWS] = instance->draws;
    words[WORD_QUEUE] = instance->queue_count;
    words[WORD_PAST] = instance->past.count;
    words[WORD_BREAKS] = instance->break_count;
}

static uint64_t *put_queue(const Instance *instance, uint64_t *words)
{
    size_t i;
    for (i = 0; i < instance->queue_count; i++) {
        const Waiting *waiting = &instance->queue[i];
        words[0] = word_of(waiting->due);
        words[1] = waiting->sequence;
        words[2] = waiting->event;
        words[3] = waiting->has_values;
        words = put(words + WAITING_WORDS, instance->queue_values + i * model.targets_max, model.targets_max);
    }
    return words;
}

static uint64_t *put_breaks(const Instance *instance, uint64_t *words)
{
    size_t i;
    for (i = 0; i < instance->break_count; i++, words += BREAK_WORDS) {
        words[0] = word_of(instance->breaks[i].due);
        words[1] = instance->breaks[i].generation;
    }
    return words;
}

Status saved_get(const Instance *instance, const char *function, Saved **saved)
{
    size_t count = word_count(instance->queue_count, instance->break_count, instance->past.count);
    uint64_t *words;
    if (*saved && (*saved)->count != count) {
        free(*saved);
        *saved = NULL;
    }
    if (!*saved) *saved = saved_new(count);
    if (!*saved) return fail(instance, "%s: out of memory", function);
    put_head(instance, (*saved)->words, count);
    words = put((*saved)->words + WORDS, instance->point, point_size());
    words = put_flags(words, instance->memory, model.events);
    words = put_flags(words, instance->is_set, model.states + model.discretes);
    words = put_breaks(instance, put_queue(instance, words));
    words = put(words, instance->past.times, instance->past.count);
    put(words, instance->past.values, instance->past.count * model.delays);
    return OK;
}

static void take_head(Instance *instance, const uint64_t *words)
{
    instance->phase = (Phase)words[WORD_PHASE];
    instance->time = number_of(words[WORD_TIME]);
    instance->last_event = number_of(words[WORD_LAST_EVENT]);
    instance->next_event = number_of(words[WORD_NEXT_EVENT]);
    instance->is_first = words[WORD_FIRST] != 0;
    instance->is_still = words[WORD_STILL] != 0;
    instance->start = number_of(words[WORD_START]);
    instance->crowded_since = number_of(words[WORD_CROWDED_SINCE]);
    instance->crowd = words[WORD_CROWD];
    instance->tolerance = number_of(words[WORD_TOLERANCE]);
    instance->step_size = number_of(words[WORD_STEP_SIZE]);
    instance->is_disturbed = words[WORD_DISTURBED] != 0;
    instance->sequence = words[WORD_SEQUENCE];
    instance->draws = words[WORD_DRAWS];
    instance->queue_count = (size_t)words[WORD_QUEUE];
    instance->past.count = (size_t)words[WORD_PAST];
    instance->break_count = (size_t)words[WORD_BREAKS];
}

static const uint64_t *take_queue(Instance *instance, const uint64_t *words)
{
    size_t i;
    for (i = 0; i < instance->queue_count; i++) {
        Waiting *waiting = &instance->queue[i];
        waiting->due = number_of(words[0]);
        waiting->sequence = words[1];
        waiting->event = (uint32_t)words[2];
        waiting->has_values = words[3] != 0;
        words = take(words + WAITING_WORDS, instance->queue_values + i * model.targets_max, model.targets_max);
    }
    return words;
}

static const uint64_t *take_breaks(Instance *instance, const uint64_t *words)
{
    size_t i;
    for (i = 0; i < instance->break_count; i++, words += BREAK_WORDS) {
        instance->breaks[i].due = number_of(words[0]);
        instance->breaks[i].generation = words[1];
    }
    return words;
}

Status saved_set(Instance *instance, const char *function, const Saved *saved)
{
    const uint64_t *words;
    if (!saved || saved->words[WORD_MAGIC] != MAGIC || saved->words[WORD_FINGERPRINT] != model.fingerprint)
        return fail(instance, "%s: this is no saved state of this model", function);
    if (saved->words[WORD_KIND] != (uint64_t)instance->kind)
        return fail(instance, "%s: the state was saved from an instance for the other interface", function);
    if (!queue_reserve(instance, (size_t)saved->words[WORD_QUEUE])
        || (model.delays && !past_reserve(&instance->past, (size_t)saved->words[WORD_PAST])))
        return fail(instance, "%s: out of memory", function);
    take_head(instance, saved->words);
    words = take(saved->words + WORDS, instance->point, point_size());
    words = take_flags(words, instance->memory, model.events);
    words = take_flags(words, instance->is_set, model.states + model.discretes);
    words = take_breaks(instance, take_queue(instance, words));
    words = take(words, instance->past.times, instance->past.count);
    take(words, instance->past.values, instance->past.count * model.delays);
    past_settle(instance);
    forget(instance);
    return OK;
}

size_t saved_size(const Saved *saved) { return saved->count * sizeof(uint64_t); }

Status saved_write(const Instance *instance, const char *function, const Saved *saved, unsigned char *bytes,
                   size_t size)
{
    size_t i;
    int k;
    if (!saved || size < saved_size(saved)) return fail(instance, "%s: there is no state, or no room for it", function);
    for (i = 0; i < saved->count; i++)
        for (k = 0; k < 8; k++) bytes[8 * i + (size_t)k] = (unsigned char)(saved->words[i] >> (8 * k));
    return OK;
}

static uint64_t read_word(const unsigned char *bytes)
{
    uint64_t word = 0;
    int k;
    for (k = 7; 0 <= k; k--) word = word << 8 | bytes[k];
    return word;
}

/* Whether times rise from entry to entry, as every search relies on. */
static bool is_past_good(const uint64_t *times, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (!isfinite(number_of(times[i]))) return false;
        if (0 < i && number_of(times[i]) < number_of(times[i - 1])) return false;
    }
    return true;
}

/* Whether break points are sorted and of generations there are. */
static bool are_breaks_good(const uint64_t *words, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++, words += BREAK_WORDS) {
        if (!isfinite(number_of(words[0])) || GENERATION_MAX < words[1]) return false;
        if (0 < i && !(number_of(words[-BREAK_WORDS]) < number_of(words[0]))) return false;
    }
    return true;
}

/* Whether the words are a state of this model; bytes may come from anywhere. */
static bool is_good(const uint64_t *words, size_t count)
{
    uint64_t queue = words[WORD_QUEUE], past = words[WORD_PAST], breaks = words[WORD_BREAKS];
    bool is_begun = words[WORD_PHASE] != INSTANTIATED && words[WORD_PHASE] != INITIALIZATION;
    size_t i;
    if (words[WORD_MAGIC] != MAGIC || words[WORD_FINGERPRINT] != model.fingerprint) return false;
    if (words[WORD_COUNT] != count || FAILED < words[WORD_PHASE] || COSIMULATION < words[WORD_KIND]) return false;
    if (count < queue || count < past || (model.delays ? BREAKS_MAX : 0) < breaks) return false;
    if (word_count((size_t)queue, (size_t)breaks, (size_t)past) != count) return false;
    if (model.delays ? is_begun && past == 0 : 0 < past) return false;
    if (!isfinite(number_of(words[WORD_TIME]))) return false;
    for (i = 0; i < queue; i++)
        if (model.events <= words[fixed_count() + i * (WAITING_WORDS + model.targets_max) + 2]) return false;
    return are_breaks_good(words + word_count((size_t)queue, 0, 0), (size_t)breaks)
        && is_past_good(words + word_count((size_t)queue, (size_t)breaks, 0), (size_t)past);
}

Status saved_read(const Instance *instance, const char *function, const unsigned char *bytes, size_t size,
                  Saved **saved)
{
    size_t count = size / sizeof(uint64_t), i;
    Saved *read = size % sizeof(uint64_t) == 0 && fixed_count() <= count ? saved_new(count) : NULL;
    if (read)
        for (i = 0; i < count; i++) read->words[i] = read_word(bytes + 8 * i);
    if (!read || !is_good(read->words, count)) {
        free(read);
        return fail(instance, "%s: the bytes are no saved state of this model", function);
    }
    free(*saved);
    *saved = read;
    return OK;
}
