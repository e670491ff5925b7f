/* usleep is not ISO C. */
#define _DEFAULT_SOURCE
#include "consort_model.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a step does besides, from time `at` on. */
enum {
    NOTHING, LOG, PRINT, OVERSHOOT, STOP_SHORT, NOT_A_NUMBER, EXIT, ABORT, CRASH, LOG_HUGE, SLEEP, LOG_EACH_STATUS
};

/* Statuses that are none: the call does not come back, or has written where it should not. */
enum { LEAVE = 100, SEGFAULT, LOOP, GARBAGE, FLOOD };

typedef struct { double time, u; int32_t phase, status, behavior, amount; double at, y; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, FLOAT64, u),
    SCALAR(FIXED, INT32, phase),
    SCALAR(FIXED, INT32, status),
    SCALAR(FIXED, INT32, behavior),
    SCALAR(FIXED, INT32, amount),
    SCALAR(FIXED, FLOAT64, at),
    SCALAR(OUTPUT, FLOAT64, y),
};

static void start(void *values) { ((Values *)values)->amount = 10; }

static void outputs(void *values)
{
    Values *v = values;
    v->y = v->behavior == NOT_A_NUMBER && v->at <= v->time ? NAN : v->u;
}

/* Writes to every descriptor there might be, the importer's own included. */
static void garbage(void)
{
    static const char text[] = "garbage of misbehave\n";
    for (int file = 0; file < 64; file++)
        if (write(file, text, sizeof text - 1) < 0) continue;
}

static void flood(void)
{
    for (;;) puts("more and more of misbehave, which never ends and says nothing that anybody wants to know");
}

/* Does what is worse than any status. */
static int break_out(int32_t how)
{
    volatile int *nowhere = NULL;
    switch (how) {
        case LEAVE: exit(0);
        case SEGFAULT: *nowhere = 1; break;
        /* Now and then it lets others work; always, and it would hardly work itself where many do. */
        case LOOP: for (volatile unsigned turn = 1;; turn++) if (turn % (1u << 20) == 0) sched_yield();
        case GARBAGE: garbage(); break;
        case FLOOD: flood(); break;
        default: return how;
    }
    return OK;
}

/* The status asked for, from the call asked for; an instance named `refuse...` is never made. */
static int call(const Context *context, void *values, Call call)
{
    Values *v = values;
    if (call == CALL_INSTANTIATE) {
        bool refuse = strncmp(context->name, "refuse", 6) == 0;
        if (refuse) context->log(context, ERROR, "no license for `%s`", context->name);
        return refuse;
    }
    if (call == CALL_NONE || (int32_t)call != v->phase || v->time < v->at || !v->status) return 0;
    if (LEAVE <= v->status) return break_out(v->status);
    Status level = v->status < FATAL ? (Status)v->status : FATAL;
    context->log(context, level, "call %d returns status %d as configured", (int)call, (int)v->status);
    return v->status;
}

static void log_each_status(const Context *context)
{
    for (int status = OK; status <= FATAL; status++)
        context->log(context, (Status)status, "a message of status %d", status);
}

static void log_huge(const Context *context, int32_t kilobytes)
{
    size_t length = (size_t)kilobytes * 1024;
    char *text = malloc(length + 1);
    if (!text) return;
    memset(text, 'x', length);
    text[length] = '\0';
    context->log(context, WARNING, "%s", text);
    free(text);
}

static void misbehave(const Context *context, Values *v, Step *step)
{
    switch (v->behavior) {
        case LOG: context->log(context, WARNING, "100%% odd: %s\nsecond line", "%s %n"); break;
        case PRINT: printf("misbehave prints at %g\n", v->time), fflush(stdout); break;
        case OVERSHOOT: step->reached += 0.5 * step->length; break;
        case STOP_SHORT: step->reached -= 0.5 * step->length; break;
        case EXIT: exit(3);
        case ABORT: abort();
        case CRASH: raise(SIGSEGV); break;
        case LOG_HUGE: log_huge(context, v->amount); break;
        case SLEEP: printf("misbehave sleeps\n"), fflush(stdout), usleep((useconds_t)v->amount * 1000); break;
        case LOG_EACH_STATUS: log_each_status(context); break;
        default: break;
    }
}

static Status step(const Context *context, void *values, Step *step)
{
    Values *v = values;
    if (v->at <= v->time) misbehave(context, v, step);
    return OK;
}

const Model model = {
    .identifier = "misbehave", .token = "consort-testkit-misbehave-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .outputs = outputs, .step = step, .call = call,
};
