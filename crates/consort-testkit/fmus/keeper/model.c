/* getpid and pause are not ISO C. */
#define _DEFAULT_SOURCE
#include "consort_model.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* What is wrong with saving and restoring; chosen when it is compiled. */
enum { NOTHING, FORGETS, RESTARTS, CRASHES, EXITS, HANGS, REFUSES, DIFFERS, KEEPS };

#ifndef FAULT
#define FAULT NOTHING
#endif

enum { SLOTS = 8192 };

/* The fault under test: what belongs to the state but is in no saved one. */
static double hidden;
static bool restored;
static double kept[SLOTS];
static int32_t last_slot;

typedef struct { double time, u, x, v; int32_t slot; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(OUTPUT, FLOAT64, x),
    SCALAR(LOCAL, FLOAT64, v),
};

static void start(void *values)
{
    Values *v = values;
    v->x = 1;
    if (FAULT == DIFFERS) v->x += 1e-6 * (double)getpid();
}

static int call(const Context *context, void *values, Call call)
{
    Values *v = values;
    if (call == CALL_SET_STATE) {
        restored = true;
        if (FAULT == EXITS) exit(0);
    }
    if (call != CALL_GET_STATE) return 0;
    if (FAULT == CRASHES) raise(SIGSEGV);
    if (FAULT == HANGS)
        for (;;) pause();
    if (FAULT == REFUSES) {
        context->log(context, ERROR, "no room for a state");
        return ERROR;
    }
    if (FAULT == KEEPS) {
        v->slot = last_slot = (last_slot + 1) % SLOTS;
        kept[v->slot] = hidden;
    }
    return 0;
}

/* der(x) = v, der(v) = u - x, by explicit Euler; a restarted integrator takes a first step of half the length. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *v = values;
    double length = FAULT == RESTARTS && restored ? 0.5 * step->length : step->length;
    if (FAULT == KEEPS && restored) hidden = kept[v->slot];
    restored = false;
    double force = v->u - v->x;
    if (FAULT == FORGETS || FAULT == KEEPS) {
        hidden += length * v->x;
        force -= 0.1 * hidden;
    }
    v->x += length * v->v;
    v->v += length * force;
    return OK;
}

const Model model = {
    .identifier = "keeper", .token = "consort-testkit-keeper-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .step = step, .call = call,
};
