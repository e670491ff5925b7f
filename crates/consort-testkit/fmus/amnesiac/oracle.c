/* The truth about the states of a model, by its own functions and nothing else: how often a restored instance goes on
 * differently. Every trial goes its way in a process of its own, so that none spoils the next.
 *
 *     oracle EXCHANGE EVENTS STEP STEPS POINTS SEED PARAMETER...
 *
 * STEPS of length STEP are one tau, POINTS times; parameters are those from reference 7 on. It prints numbers of
 * trials, and of those among them that differ: see `Truth` of the test kit. */
#define _DEFAULT_SOURCE
#include "consort_instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POINTS_MAX = 100, OBSERVED = 6, HELD = 8, PLACES = 16, FIRST_PARAMETER = 7, ROUNDS_MAX = 8, STATE_MAX = 4096,
       FRESH = 5, FRESH_TAU = 4 };
enum { U = 1, K = 2, X = 3, SLOPES = 5 };

/* What a group of trials found. */
typedef struct { int trials, soon, later; } Found;

typedef struct {
    double plain[POINTS_MAX + 1][OBSERVED];      /* never saved */
    double restored[POINTS_MAX + 1][OBSERVED];   /* restored right after every save */
    char bytes[FRESH][STATE_MAX];
    double bytes_next[FRESH], bytes_states[FRESH][2];
    Found once, often, repeated, fresh;
    /* Of a trial whose expectation is not known yet. */
    double after[OBSERVED];
    int chosen;
} Shared;

typedef struct { void *state; double next, states[2]; int index; } Saved;

/* An instance, when the importer expects its next event, and the continuous states that its solver has. */
typedef struct { Instance *instance; double next, states[2]; } Live;

static bool exchange, events;
static double step_length;
static int steps, points;
static uint64_t seed;
static int argument_count;
static char **arguments;
static Shared *shared;

static uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = seed * 0x9E3779B97F4A7C15u + a * 0xBF58476D1CE4E5B9u + b * 0x94D049BB133111EBu + c + 1;
    for (int i = 0; i < 3; i++) x = (x ^ (x >> 29)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

static double between(uint64_t bits, double low, double high) { return low + (high - low) * (double)(bits >> 11) / 9007199254740992.0; }

static double *number(Live *live, int reference) { return place(live->instance, &model.variables[reference]); }
static double *now(Live *live) { return number(live, 0); }

static void no_log(const Context *context, Status status, const char *format, ...)
{
    (void)context, (void)status, (void)format;
}

static void happen(Live *live)
{
    Event event = { 0 };
    model.update(&live->instance->context, live->instance->values, &event);
    live->next = event.next_defined ? event.next : INFINITY;
    model.outputs(live->instance->values);
}

static Live begin(void)
{
    Live live = { instance_new("oracle", "", 0), INFINITY, { 0, 0 } };
    live.instance->context.log = no_log;
    live.instance->context.event_mode = events;
    for (int i = 0; i < argument_count; i++) *number(&live, FIRST_PARAMETER + i) = atof(arguments[i]);
    model.initialize(&live.instance->context, live.instance->values);
    memcpy(live.states, number(&live, X), sizeof live.states);
    if (events || exchange) happen(&live);
    return live;
}

/* What is set at the beginning of a period: in three of eight cases nothing. */
static void vary(Live *live, uint64_t path, int index)
{
    uint64_t kind = hash(path, (uint64_t)index, 0) % 8;
    if (kind <= 3) return;
    if (kind <= 5 || hash(path, (uint64_t)index, 1) % 2) *number(live, U) = between(hash(path, (uint64_t)index, 2), -1, 1);
    if (hash(path, (uint64_t)index, 3) % 2) {
        *number(live, K) = between(hash(path, (uint64_t)index, 4), 0.99, 1.01);
        if (events || exchange) happen(live);
    }
    model.outputs(live->instance->values);
}

/* Runge and Kutta's method of order 4 in place of a solver. */
static void integrate(Live *live, double length)
{
    static const double nodes[] = { 0, 0.5, 0.5, 1 }, weights[] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
    double *x = number(live, X), *slope = number(live, SLOPES), t = *now(live);
    double from[2] = { live->states[0], live->states[1] }, sum[2] = { 0, 0 };
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 2; i++) x[i] = from[i] + nodes[stage] * length * (stage ? slope[i] : 0);
        *now(live) = t + nodes[stage] * length;
        model.outputs(live->instance->values);
        for (int i = 0; i < 2; i++) sum[i] += weights[stage] * slope[i];
    }
    for (int i = 0; i < 2; i++) live->states[i] = x[i] = from[i] + length * sum[i];
    *now(live) = t + length;
    model.outputs(live->instance->values);
}

/* One step, and the events in it. */
static void take_step(Live *live, double end)
{
    while (1e-9 < end - *now(live)) {
        bool cut = (events || exchange) && live->next < end - 1e-9 && *now(live) + 1e-9 < live->next;
        double to = cut ? live->next : end;
        Step step = { .start = *now(live), .length = to - *now(live) };
        if (exchange) integrate(live, step.length);
        else advance(live->instance, &step);
        if ((events || exchange) && (step.event || live->next <= to + 1e-9)) happen(live);
    }
}

/* By so many places; one step has 16. Periods are counted from `index` on. */
static void move(Live *live, uint64_t path, int index, int places)
{
    double begin = *now(live);
    for (int done = 0; done < places; done += PLACES) {
        if (done % (steps * PLACES) == 0) vary(live, path, index + done / (steps * PLACES));
        take_step(live, begin + (done + PLACES <= places ? done + PLACES : places) * step_length / PLACES);
    }
}

static void move_on(Live *live, int index) { move(live, 0, index, steps * PLACES); }

static void observe(Live *live, double *observed) { memcpy(observed, number(live, U), OBSERVED * sizeof(double)); }

static bool is_equal(Live *live, const double *expected) { return memcmp(number(live, U), expected, OBSERVED * sizeof(double)) == 0; }

static Saved save(Live *live, int index)
{
    own_status(live->instance, CALL_GET_STATE);
    return (Saved){ state_get(live->instance), live->next, { live->states[0], live->states[1] }, index };
}

static void restore(Live *live, const Saved *saved)
{
    own_status(live->instance, CALL_SET_STATE);
    state_set(live->instance, saved->state);
    live->next = saved->next;
    memcpy(live->states, saved->states, sizeof saved->states);
}

/* States that are held at once: the first, the newest, and some between. */
static Saved held[HELD];
static int held_count;

static void hold(Saved saved)
{
    if (held_count == HELD) {
        int given_up = 1 + (int)(hash(11, (uint64_t)saved.index, 0) % (HELD - 1));
        memmove(&held[given_up], &held[given_up + 1], (size_t)(HELD - 1 - given_up) * sizeof *held);
        held_count--;
    }
    held[held_count++] = saved;
}

static const Saved *choose(uint64_t bits) { return bits % 2 ? &held[held_count - 1] : &held[(bits >> 8) % (uint64_t)held_count]; }

static void excursion(Live *live, uint64_t path)
{
    uint64_t bits = hash(path, 0, 21);
    int tau = bits % 8 ? 5 : points, places = (int)(hash(path, 0, 22) % (uint64_t)(tau * steps * PLACES + 1));
    move(live, path, 0, places);
}

/* Continues from a state: 1 if it differs within a tau, 2 if later, 0 if never. */
static int follow(Live *live, int index)
{
    for (int at = index; at < points; at++) {
        move_on(live, at);
        if (!is_equal(live, shared->plain[at + 1])) return at < index + 1 ? 1 : 2;
    }
    return 0;
}

static void count(Found *found, int how)
{
    found->trials++;
    found->soon += how == 1;
    found->later += how == 2;
}

/* One restore, or several one after another. */
static void trial(Live *live, int index)
{
    bool is_single = hash(31, (uint64_t)index, 0) % 2;
    int rounds = is_single ? 1 : 2 + (int)(hash(31, (uint64_t)index, 1) % (ROUNDS_MAX - 1)), how = 0;
    for (int round = 0; round < rounds && !how; round++) {
        uint64_t path = 1 + (uint64_t)(index * ROUNDS_MAX + round);
        excursion(live, path);
        const Saved *chosen = choose(hash(path, 0, 41));
        restore(live, chosen);
        if (round + 1 == rounds) how = follow(live, chosen->index);
        else {
            move_on(live, chosen->index);
            how = !is_equal(live, shared->plain[chosen->index + 1]);
        }
    }
    count(is_single ? &shared->once : &shared->often, how);
}

static void trial_of_repeating(Live *live, int index)
{
    uint64_t path = 5000 + (uint64_t)index;
    excursion(live, path);
    const Saved *chosen = choose(hash(path, 0, 41));
    restore(live, chosen);
    move_on(live, chosen->index);
    observe(live, shared->after);
    shared->chosen = chosen->index;
}

static bool is_child(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) return true;
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) exit(3);
    return false;
}

static void run_plain(void)
{
    Live live = begin();
    observe(&live, shared->plain[0]);
    for (int index = 0; index < points; index++) {
        move_on(&live, index);
        observe(&live, shared->plain[index + 1]);
    }
}

/* A run that is saved at every point, with trials aside. */
static void run_trials(void)
{
    Live live = begin();
    int every = (points + FRESH - 1) / FRESH, fresh = 0;
    for (int index = 0; index < points; index++) {
        Saved saved = save(&live, index);
        hold(saved);
        if (index % every == every - 1 && fresh < FRESH) {
            serialize(saved.state, shared->bytes[fresh]);
            memcpy(shared->bytes_states[fresh], saved.states, sizeof saved.states);
            shared->bytes_next[fresh++] = live.next;
        }
        if (hash(51, (uint64_t)index, 0) % 2 && is_child()) {
            trial(&live, index);
            exit(0);
        }
        move_on(&live, index);
    }
}

static void run_repeated(void)
{
    Live live = begin();
    for (int index = 0; index < points; index++) {
        hold(save(&live, index));
        restore(&live, &held[held_count - 1]);
        bool is_tried = hash(52, (uint64_t)index, 0) % 2;
        if (is_tried && is_child()) {
            trial_of_repeating(&live, index);
            exit(0);
        }
        move_on(&live, index);
        observe(&live, shared->restored[index + 1]);
        const double *expected = shared->restored[shared->chosen + 1];
        if (is_tried) count(&shared->repeated, memcmp(shared->after, expected, sizeof shared->after) != 0);
    }
}

/* Bytes of a state in a process that never saw it. */
static void run_fresh(int which)
{
    int every = (points + FRESH - 1) / FRESH, index = every * (which + 1) - 1, how = 0;
    Live live = begin();
    const double *x = shared->bytes_states[which];
    Saved saved = { shared->bytes[which], shared->bytes_next[which], { x[0], x[1] }, index };
    restore(&live, &saved);
    for (int at = index; at < points && !how; at++) {
        move_on(&live, at);
        if (!is_equal(&live, shared->plain[at + 1])) how = at < index + FRESH_TAU ? 1 : 2;
    }
    count(&shared->fresh, how);
}

static void show(const char *name, const Found *found) { printf("%s %d %d %d\n", name, found->trials, found->soon, found->later); }

int main(int count, char **given)
{
    if (count < 7) return 2;
    exchange = atoi(given[1]), events = atoi(given[2]), step_length = atof(given[3]), steps = atoi(given[4]);
    points = atoi(given[5]), seed = strtoull(given[6], NULL, 10);
    arguments = given + 7, argument_count = count - 7;
    if (POINTS_MAX < points || STATE_MAX < state_size()) return 2;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    if (is_child()) return run_plain(), 0;
    if (is_child()) return run_trials(), 0;
    if (is_child()) return run_repeated(), 0;
    int every = (points + FRESH - 1) / FRESH;
    for (int which = 0; which < FRESH && every * (which + 1) - 1 < points; which++)
        if (is_child()) return run_fresh(which), 0;
    show("once", &shared->once), show("often", &shared->often);
    show("repeated", &shared->repeated), show("fresh", &shared->fresh);
    return 0;
}
