#include "consort_model.h"

enum { COUNT_MAX = 10 };

typedef struct { double time, period; bool terminate; int32_t count; double level, der_level, begin; } Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    SCALAR(FIXED, FLOAT64, period),
    SCALAR(FIXED, BOOLEAN, terminate),
    SCALAR(OUTPUT, INT32, count),
    SCALAR(OUTPUT, FLOAT64, level),
    SCALAR(LOCAL, FLOAT64, der_level),
};

static void start(void *values)
{
    Values *s = values;
    s->period = 1.0;
    s->count = 1;
}

static void outputs(void *values)
{
    Values *s = values;
    s->der_level = s->count;
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
    outputs(s);
    return OK;
}

/* The count n is reached at begin + (n - 1) * period. One rise per update: several are due after a long pause. */
static Status update(const Context *context, void *values, Event *event)
{
    (void)context;
    Values *s = values;
    if (s->begin + s->count * s->period <= s->time) s->count++;
    event->next = s->begin + s->count * s->period;
    event->again = event->next <= s->time;
    event->terminate = s->terminate && COUNT_MAX <= s->count;
    event->next_defined = !event->terminate;
    return OK;
}

static const Exchange exchange = {
    .state_count = 1, .states = offsetof(Values, level), .derivatives = offsetof(Values, der_level),
};

const Model model = {
    .identifier = "exchange_stair", .token = "consort-testkit-exchange-stair-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .update = update, .exchange = &exchange,
};
