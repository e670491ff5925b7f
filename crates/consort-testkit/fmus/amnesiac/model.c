#include "consort_model.h"

#include <math.h>
#include <string.h>

/* What the states of this model lack is drawn from a seed, and reaches it as parameters. See the README. */
enum { DELAY_MAX = 8, KEPT = 4096, UNDO_MAX = 16384, FAULTS = 2 };
static const double NEARLY = 1e-9;

/* Parts of the state, in the order of `parts`. */
enum { HISTORY, SAMPLE, NEXT, LINE, COUNT, PEAK, INPUT_HELD, TUNED, STATES_BOTH, EVERYTHING };

/* What becomes of a part. */
enum {
    NOTHING, LIVE, LOST, STATIC, ROUNDED, ROUNDED_BY_SAVES, SLOT, RING, UNDO, HERE, EVERY_NTH, FROM_AFAR, AHEAD, LATE,
    FRESH
};

typedef struct { double part, kind, argument; } Fault;

typedef struct {
    double time, u, k, x, v, der_x, der_v;
    struct { double period, delay, threshold, limit, damping, by_sample, by_delay, by_count, by_peak; } law;
    Fault faults[FAULTS];
    struct { double slope_x, slope_v, last_u, last_k, has_slopes; } history;
    double sample, next;
    struct { double values[DELAY_MAX], head; } line;
    double count, peak;
    int64_t place, cookie;          /* of a save */
} Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(TUNABLE, FLOAT64, k),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(LOCAL, FLOAT64, v),
    SCALAR(LOCAL, FLOAT64, der_x),
    SCALAR(LOCAL, FLOAT64, der_v),
    SCALAR(FIXED, FLOAT64, law.period),
    SCALAR(FIXED, FLOAT64, law.delay),
    SCALAR(FIXED, FLOAT64, law.threshold),
    SCALAR(FIXED, FLOAT64, law.limit),
    SCALAR(FIXED, FLOAT64, law.damping),
    SCALAR(FIXED, FLOAT64, law.by_sample),
    SCALAR(FIXED, FLOAT64, law.by_delay),
    SCALAR(FIXED, FLOAT64, law.by_count),
    SCALAR(FIXED, FLOAT64, law.by_peak),
    SCALAR(FIXED, FLOAT64, faults[0].part),
    SCALAR(FIXED, FLOAT64, faults[0].kind),
    SCALAR(FIXED, FLOAT64, faults[0].argument),
    SCALAR(FIXED, FLOAT64, faults[1].part),
    SCALAR(FIXED, FLOAT64, faults[1].kind),
    SCALAR(FIXED, FLOAT64, faults[1].argument),
};

#define PART(field) { offsetof(Values, field), sizeof(((Values *)0)->field) / sizeof(double) }
static const struct { size_t offset, count; } parts[] = {
    PART(history), PART(sample), PART(next), PART(line), PART(count), PART(peak), PART(u), PART(k),
    { offsetof(Values, x), 2 },
    { offsetof(Values, history), (offsetof(Values, place) - offsetof(Values, history)) / sizeof(double) },
};

/* What is in no state, or in all of them at once. */
static Values before, newest, slot, kept[KEPT], undo[UNDO_MAX];
static int64_t undo_count, saves, restores;

static double *part_of(const Values *v, int part) { return (double *)((char *)v + parts[part].offset); }

static void take_part(Values *v, const Values *from, int part)
{
    memcpy(part_of(v, part), part_of(from, part), parts[part].count * sizeof(double));
}

static void lose_part(Values *v, int part) { memset(part_of(v, part), 0, parts[part].count * sizeof(double)); }

static void round_part(Values *v, int part)
{
    double *numbers = part_of(v, part);
    for (size_t i = 0; i < parts[part].count; i++) numbers[i] = (float)numbers[i];
}

static bool is_due(const Values *v) { return v->next <= v->time + NEARLY; }

static double delayed(const Values *v) { return v->line.values[(int)v->line.head % DELAY_MAX]; }

/* What happens once per period. */
static void take_sample(Values *v)
{
    int delay = (int)v->law.delay, head = (int)v->line.head % DELAY_MAX;
    v->sample = 0.5 * v->sample + v->x;
    v->line.values[head] = v->x;
    v->line.head = (head + 1) % delay;
    v->count = fmod(v->count + 1, 2 * v->law.threshold);
    v->peak = fmax(v->peak, fabs(v->u));
    v->next += v->law.period;
}

static void outputs(void *values)
{
    Values *v = values;
    v->der_x = v->v;
    v->der_v = v->u - v->k * v->x - v->law.damping * v->v + v->law.by_sample * v->sample + v->law.by_delay * delayed(v);
    if (v->law.threshold <= v->count) v->der_v += v->law.by_count;
    if (v->law.limit < v->peak) v->der_v += v->law.by_peak * v->peak;
}

static void start(void *values)
{
    Values *v = values;
    v->k = v->x = 1;
    v->law.period = 0.25, v->law.delay = 1, v->law.threshold = 10, v->law.limit = 1, v->law.damping = 0.1;
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *v = values;
    v->next = v->time + v->law.period;
    outputs(v);
    newest = *v;
    return OK;
}

/* Adams and Bashforth's method of order 2; what changes from outside makes it begin anew. */
static void integrate(Values *v, double length)
{
    outputs(v);
    if (v->u != v->history.last_u || v->k != v->history.last_k) v->history.has_slopes = 0;
    double now = v->history.has_slopes ? 1.5 : 1.0, past = v->history.has_slopes ? 0.5 : 0.0;
    v->x += length * (now * v->der_x - past * v->history.slope_x);
    v->v += length * (now * v->der_v - past * v->history.slope_v);
    v->history.slope_x = v->der_x, v->history.slope_v = v->der_v;
    v->history.last_u = v->u, v->history.last_k = v->k, v->history.has_slopes = 1;
}

static Status step(const Context *context, void *values, Step *step)
{
    Values *v = values;
    integrate(v, step->length);
    v->time = step->start + step->length;
    if (is_due(v) && context->event_mode) step->event = true;
    while (is_due(v) && !context->event_mode) take_sample(v);
    newest = *v;
    return OK;
}

static Status update(const Context *context, void *values, Event *event)
{
    (void)context;
    Values *v = values;
    while (is_due(v)) take_sample(v);
    event->next_defined = true;
    event->next = v->next;
    newest = *v;
    return OK;
}

static const Fault *fault_of(const Values *v, int kind)
{
    for (int i = 0; i < FAULTS; i++)
        if ((int)v->faults[i].kind == kind) return &v->faults[i];
    return NULL;
}

static void save(Values *v)
{
    const Fault *rounded = fault_of(v, ROUNDED_BY_SAVES), *ring = fault_of(v, RING);
    if (rounded) round_part(v, (int)rounded->part);
    v->cookie = ++saves;
    v->place = saves % (ring ? (int64_t)ring->argument : KEPT);
    slot = kept[v->place] = *v;
    if (!fault_of(v, UNDO)) return;
    v->place = undo_count < UNDO_MAX ? undo_count++ : UNDO_MAX - 1;
    undo[v->place] = *v;
}

/* Goes back along the log, and forgets what comes after; what was forgotten is as what is left. */
static void go_back(Values *v, int part)
{
    if (undo_count == 0) return;
    int64_t at = v->place < undo_count ? v->place : undo_count - 1;
    take_part(v, &undo[at], part);
    undo_count = at + 1;
}

static void spoil(Values *v, const Fault *fault)
{
    int part = (int)fault->part;
    double argument = fault->argument;
    switch ((int)fault->kind) {
        case LIVE: take_part(v, &before, part); break;
        case LOST: lose_part(v, part); break;
        case STATIC: take_part(v, &newest, part); break;
        case ROUNDED: round_part(v, part); break;
        case SLOT: if (saves) take_part(v, &slot, part); break;
        case RING: if (saves) take_part(v, &kept[v->place], part); break;
        case UNDO: go_back(v, part); break;
        case HERE: if (kept[v->place].cookie != v->cookie) lose_part(v, part); break;
        case EVERY_NTH: if (restores % (int64_t)argument == 0) take_part(v, &before, part); break;
        case FROM_AFAR: if (v->time + argument < before.time) take_part(v, &before, part); break;
        case AHEAD: if (before.time < v->time) take_part(v, &before, part); break;
        case LATE: if (argument < v->time) lose_part(v, part); break;
        case FRESH: if (before.time <= NEARLY) lose_part(v, part); break;
        default: break;
    }
}

static void was_restored(Values *v)
{
    Fault faults[FAULTS];
    memcpy(faults, v->faults, sizeof faults);
    restores++;
    for (int i = 0; i < FAULTS; i++) spoil(v, &faults[i]);
}

static int call(const Context *context, void *values, Call call)
{
    (void)context;
    switch (call) {
        case CALL_GET_STATE: save(values); break;
        case CALL_SET_STATE: before = *(Values *)values; break;
        case CALL_STATE_WAS_SET: was_restored(values); break;
        default: break;
    }
    return OK;
}

static const Exchange exchange = {
    .state_count = 2, .states = offsetof(Values, x), .derivatives = offsetof(Values, der_x),
};

const Model model = {
    .identifier = "amnesiac", .token = "consort-testkit-amnesiac-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .step = step, .update = update,
    .call = call, .exchange = &exchange,
};
