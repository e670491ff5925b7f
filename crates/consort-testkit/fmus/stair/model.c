#include "consort_model.h"

enum { COUNT_MAX = 10 };

typedef struct { double time, period; bool terminate; int32_t count; double begin; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, period),
    SCALAR(FIXED, BOOLEAN, terminate),
    SCALAR(OUTPUT, INT32, count),
};

static void start(void *values)
{
    Values *s = values;
    s->period = 1.0;
    s->count = 1;
}

static Status initialize(const Context *context, void *values)
{
    Values *s = values;
    if (!(0.0 < s->period)) {
        context->log(context, ERROR, "the period must be positive, but is %g s", s->period);
        return ERROR;
    }
    s->count = 1;
    s->begin = s->time;
    return OK;
}

/* The count n is reached at begin + (n - 1) * period. */
static double next_event(const Values *s) { return s->begin + s->count * s->period; }

static bool at_end(const Values *s) { return s->terminate && COUNT_MAX <= s->count; }

static Status step(const Context *context, void *values, Step *step)
{
    Values *s = values;
    double end = step->start + step->length;
    while (next_event(s) <= end) {
        double at = next_event(s);
        bool is_last = at_end(s);
        if (context->event_mode && (context->early_return || end <= at)) {
            step->event = true;
            step->early = at < end;
            step->reached = at;
            return OK;
        }
        if (is_last) break;
        s->count++;
    }
    step->terminate = at_end(s);
    return OK;
}

static Status update(const Context *context, void *values, Event *event)
{
    (void)context;
    Values *s = values;
    if (next_event(s) <= s->time && !at_end(s)) s->count++;
    event->terminate = at_end(s);
    event->next_defined = !event->terminate;
    event->next = next_event(s);
    return OK;
}

const Model model = {
    .identifier = "stair", .token = "consort-testkit-stair-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .step = step, .update = update,
};
