#include "consort_model.h"

typedef struct { double time; bool tick; int32_t count, total; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(INPUT, CLOCK, tick),
    SCALAR(OUTPUT, INT32, count),
    SCALAR(OUTPUT, INT32, total),
};

static void start(void *values) { (void)values; }

/* A tick lasts one update. */
static Status update(const Context *context, void *values, Event *event)
{
    (void)context, (void)event;
    Values *v = values;
    if (v->tick) v->total = ++v->count;
    v->tick = false;
    return OK;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)values, (void)step;
    return OK;
}

static double interval(const void *values, uint32_t clock)
{
    (void)values, (void)clock;
    return 0.1;
}

const Model model = {
    .identifier = "clocks", .token = "consort-testkit-clocks-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .update = update, .step = step, .interval = interval,
};
