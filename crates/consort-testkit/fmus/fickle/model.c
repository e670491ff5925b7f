#include "consort_model.h"

#include <signal.h>
#include <string.h>

/* What a restored state lacks; chosen when it is compiled, with the part of the restores that show it. */
enum { NOTHING, HISTORY, FORGETS, SLOT, KILLED, ONCE };

#ifndef FAULT
#define FAULT NOTHING
#endif
#ifndef PART
#define PART 1
#endif
#ifndef SEED
#define SEED 0
#endif

typedef struct { double time, u, y, before, total; int32_t begun; } Values;

/* The faults under test: what is in no saved state, and what is in all of them at once. */
static double forgotten;
static Values slot;
static bool restored;
static int is_used;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(OUTPUT, FLOAT64, y),
};

static void start(void *values)
{
    Values *v = values;
    v->y = 1;
    forgotten = 0;
}

static int call(const Context *context, void *values, Call call)
{
    (void)context;
    /* A library that can be used once in the life of its process. */
    if (FAULT == ONCE && call == CALL_INSTANTIATE) return is_used++;
    if (call == CALL_SET_STATE) restored = true;
    if (call == CALL_GET_STATE) slot = *(Values *)values;
    return 0;
}

/* Whether this restore shows the fault: a matter of the state that was restored. */
static bool shows(const Values *v)
{
    uint64_t bits;
    memcpy(&bits, &v->y, sizeof bits);
    bits = (bits ^ SEED) * 0x9E3779B97F4A7C15u;
    return (bits >> 40) % PART == 0;
}

static void spoil(Values *v)
{
    if (!shows(v)) return;
    if (FAULT == HISTORY) v->begun = 0;
    if (FAULT == FORGETS) v->total = forgotten;
    if (FAULT == SLOT) {
        v->y = slot.y;
        v->before = slot.before;
        v->total = slot.total;
    }
}

/* der(y) = u - y - 0.1 total, der(total) = y, by a method of two steps; the first step is Euler's. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *v = values;
    if (restored) spoil(v);
    restored = false;
    /* 9 is SIGKILL, which ISO C does not know. */
    if (FAULT == KILLED && v->y < 0.5) raise(9);
    double slope = v->u - v->y - 0.1 * v->total;
    double before = v->begun ? v->before : slope;
    v->total += step->length * v->y;
    forgotten += step->length * v->y;
    v->y += step->length * (1.5 * slope - 0.5 * before);
    v->before = slope;
    v->begun = 1;
    return OK;
}

const Model model = {
    .identifier = "fickle", .token = "consort-testkit-fickle-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step, .call = call,
};
