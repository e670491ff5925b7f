#include "consort_model.h"

enum { N = 6, OUTSIDE = 1, T0 = 2, RATE = 3, T = 4, DER_T = T + N, INSIDE = DER_T + N };

typedef struct { double time, outside, t0, rate, t[N], der_t[N], inside; } Values;

#define LAYER(field, i) { LOCAL, FLOAT64, offsetof(Values, field) + (i) * sizeof(double), 1 }

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    [OUTSIDE] = SCALAR(INPUT, FLOAT64, outside),
    [T0] = SCALAR(FIXED, FLOAT64, t0),
    [RATE] = SCALAR(TUNABLE, FLOAT64, rate),
    LAYER(t, 0), LAYER(t, 1), LAYER(t, 2), LAYER(t, 3), LAYER(t, 4), LAYER(t, 5),
    LAYER(der_t, 0), LAYER(der_t, 1), LAYER(der_t, 2), LAYER(der_t, 3), LAYER(der_t, 4), LAYER(der_t, 5),
    [INSIDE] = SCALAR(OUTPUT, FLOAT64, inside),
};

static void start(void *values)
{
    Values *w = values;
    w->outside = 300.0;
    w->t0 = 280.0;
    w->rate = 1.0;
}

/* Nothing flows through the right side. */
static void outputs(void *values)
{
    Values *w = values;
    for (int i = 0; i < N; i++) {
        double left = i == 0 ? w->outside : w->t[i - 1];
        double right = i == N - 1 ? w->t[i] : w->t[i + 1];
        w->der_t[i] = w->rate * ((left - w->t[i]) + (right - w->t[i]));
    }
    w->inside = w->t[N - 1];
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *w = values;
    for (int i = 0; i < N; i++) w->t[i] = w->t0;
    outputs(w);
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    const Values *w = values;
    if (unknown < DER_T || INSIDE <= unknown || (known != OUTSIDE && (known < T || DER_T <= known))) return false;
    int row = (int)unknown - DER_T, column = known == OUTSIDE ? -1 : (int)known - T;
    double factor = row == column ? (row == N - 1 ? -1.0 : -2.0) : row - column == 1 || column - row == 1 ? 1.0 : 0.0;
    *sensitivity += w->rate * factor * *seed;
    return true;
}

static void nominals(const void *values, double *nominals)
{
    (void)values;
    for (int i = 0; i < N; i++) nominals[i] = 100.0;
}

static const Exchange exchange = {
    .state_count = N, .states = offsetof(Values, t), .derivatives = offsetof(Values, der_t), .nominals = nominals,
};

const Model model = {
    .identifier = "exchange_wall", .token = "consort-testkit-exchange-wall-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .initialize = initialize, .outputs = outputs, .directional = directional, .exchange = &exchange,
};
