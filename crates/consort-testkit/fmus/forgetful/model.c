/* usleep and threads are not ISO C. */
#define _DEFAULT_SOURCE
#include "consort_model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What its saved states lack, or what else is odd about them; chosen when it is compiled. See the README. */
enum {
    HONEST, SLOW, HISTORY, SLOT, UNDO, SHALLOW, ALIAS, TUNED, HELD, NEXT, RANDOM, GENERATOR, FILE_PLACE, THREAD,
    UNREADABLE, LEAK, COUNTS_SAVES, COUNTS_RESTORES, GRID, RESIZES, ENDS,
    CHOSEN, ADDRESS
};

#ifndef FAULT
#define FAULT HONEST
#endif

enum { LOG_MAX = 65536, RING = 4, LEAKED = 8192 };
static const double UNIT = 1;
static const double PERIOD = 0.25, OWN_STEP = 0.05, NEARLY = 1e-9;

typedef struct {
    double time, u, k, x, v, der_x, der_v;
    double sample, next;                    /* of the last period; when the next one begins */
    double slope_x, slope_v, last_u, last_k; /* of the last step: what a multistep method remembers */
    bool has_slopes, damped;
    double pending;                         /* time that was gone through but not yet integrated */
    int32_t place, samples;
    int64_t count;
    const double *unit;                     /* where a number is; good for nothing in another process */
} Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(TUNABLE, FLOAT64, k),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(LOCAL, FLOAT64, v),
    SCALAR(LOCAL, FLOAT64, der_x),
    SCALAR(LOCAL, FLOAT64, der_v),
    SCALAR(TUNABLE, BOOLEAN, damped),
};

/* What belongs to the state and is in none, or in all of them at once. */
static Values slot, before, ring[RING], undo[LOG_MAX];
static int32_t undo_count, saves;
static int64_t restores;
static uint32_t seed = 1;
static FILE *numbers;
void *leaked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_asked;
static double exchanged;

/* A thread whose stack holds the sum of all it was given. */
static void *sum_up(void *unused)
{
    double sum = 0;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!is_asked) pthread_cond_wait(&changed, &mutex);
        sum = 0.5 * sum + exchanged;
        exchanged = sum;
        is_asked = false;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static double summed_up(double value)
{
    static bool is_started;
    pthread_t thread;
    if (!is_started) pthread_create(&thread, NULL, sum_up, NULL);
    is_started = true;
    pthread_mutex_lock(&mutex);
    exchanged = value;
    is_asked = true;
    pthread_cond_broadcast(&changed);
    while (is_asked) pthread_cond_wait(&changed, &mutex);
    value = exchanged;
    pthread_mutex_unlock(&mutex);
    return value;
}

static double read_number(const Context *context)
{
    char path[4096];
    double number = 0;
    if (!numbers) {
        snprintf(path, sizeof path, "%snumbers.txt", context->resources);
        numbers = fopen(path, "r");
        if (!numbers) return 0;
        setvbuf(numbers, NULL, _IONBF, 0);
    }
    if (fscanf(numbers, "%lf", &number) != 1) rewind(numbers);
    return number;
}

static double disturbance(const Context *context)
{
    if (FAULT == RANDOM) return (double)rand() / RAND_MAX;
    if (FAULT == GENERATOR) return (seed = seed * 1664525u + 1013904223u) / 4294967296.0;
    if (FAULT == FILE_PLACE) return read_number(context);
    return 0;
}

static bool is_due(const Values *v) { return v->next <= v->time + NEARLY; }

/* What happens once per period. */
static void take_sample(const Context *context, Values *v)
{
    v->sample = 0.5 * v->sample + v->x + 0.1 * disturbance(context);
    if (FAULT == THREAD) v->sample = summed_up(v->x);
    if (FAULT == ADDRESS) v->sample *= *v->unit;
    v->next += PERIOD;
    v->samples++;
}

static void outputs(void *values)
{
    Values *v = values;
    v->der_x = v->v;
    v->der_v = v->u - v->k * v->x - (v->damped ? 0.1 : 0.05) * v->v + 0.1 * v->sample;
}

static void start(void *values)
{
    Values *v = values;
    v->k = v->x = 1;
    v->damped = true;
    v->unit = &UNIT;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *v = values;
    v->next = v->time + (FAULT == ENDS ? OWN_STEP : PERIOD);
    outputs(v);
    return OK;
}

/* Adams and Bashforth's method of order 2; what changes from outside makes it begin anew. */
static void integrate(Values *v, double length)
{
    outputs(v);
    if (v->u != v->last_u || v->k != v->last_k) v->has_slopes = false;
    double now = v->has_slopes ? 1.5 : 1.0, past = v->has_slopes ? 0.5 : 0.0;
    v->x += length * (now * v->der_x - past * v->slope_x);
    v->v += length * (now * v->der_v - past * v->slope_v);
    v->slope_x = v->der_x, v->slope_v = v->der_v, v->last_u = v->u, v->last_k = v->k;
    v->has_slopes = true;
}

static Status step(const Context *context, void *values, Step *step)
{
    Values *v = values;
    if (FAULT == SLOW) usleep(100);
    if (FAULT == ENDS) step->terminate = true;
    v->pending += step->length;
    while (FAULT == GRID && OWN_STEP <= v->pending + NEARLY) integrate(v, OWN_STEP), v->pending -= OWN_STEP;
    if (FAULT != GRID) integrate(v, v->pending), v->pending = 0;
    v->time = step->start + step->length;
    if (!is_due(v)) return OK;
    if (context->event_mode) step->event = true;
    else take_sample(context, v);
    return OK;
}

static Status update(const Context *context, void *values, Event *event)
{
    Values *v = values;
    if (is_due(v)) {
        take_sample(context, v);
        event->terminate = FAULT == ENDS;
    }
    event->next_defined = true;
    event->next = v->next;
    return OK;
}

static void save(Values *v)
{
    if (FAULT == SLOT) slot = *v;
    if (FAULT == ALIAS) {
        v->place = saves % RING;
        ring[v->place] = *v;
    }
    if (FAULT == UNDO) {
        v->place = undo_count < LOG_MAX ? undo_count++ : LOG_MAX - 1;
        undo[v->place] = *v;
    }
    if (FAULT == LEAK) {
        leaked = malloc(LEAKED);
        if (leaked) memset(leaked, 1, LEAKED);
    }
    if (FAULT == COUNTS_SAVES) v->count = saves;
    saves++;
}

/* Goes back along the log, and forgets what comes after; what was forgotten is as what is left. */
static void go_back(Values *v)
{
    if (undo_count == 0) return;
    int32_t at = v->place < undo_count ? v->place : undo_count - 1;
    *v = undo[at];
    undo_count = at + 1;
}

static void was_restored(Values *v)
{
    double time = v->time;
    switch (FAULT) {
        case HISTORY: v->has_slopes = false; break;
        case SLOT: if (saves) *v = slot; break;
        case ALIAS: if (saves) *v = ring[v->place]; break;
        case UNDO: go_back(v); break;
        case SHALLOW: v->sample = before.sample; break;
        case TUNED: v->k = before.k; break;
        case CHOSEN: v->damped = before.damped; break;
        case HELD: v->u = before.u; break;
        case NEXT: v->next = before.next; break;
        case COUNTS_RESTORES: v->count = ++restores; break;
        case GRID: v->pending = 0; break;
        default: break;
    }
    /* A wrong time would be found by anybody. */
    v->time = time;
}

static int call(const Context *context, void *values, Call call)
{
    (void)context;
    switch (call) {
        case CALL_GET_INPUT: return FAULT == UNREADABLE ? ERROR : OK;
        case CALL_GET_STATE: save(values); break;
        case CALL_SET_STATE: before = *(Values *)values; break;
        case CALL_STATE_WAS_SET: was_restored(values); break;
        default: break;
    }
    return OK;
}

static size_t padding(const void *values)
{
    return FAULT == RESIZES ? 8 * (size_t)(((const Values *)values)->samples % 7) : 0;
}

static const Exchange exchange = {
    .state_count = 2, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "forgetful", .token = "consort-testkit-forgetful-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .step = step, .update = update,
    .call = call, .padding = padding, .exchange = &exchange,
};
