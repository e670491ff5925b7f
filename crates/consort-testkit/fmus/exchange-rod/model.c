#include "consort_model.h"

enum { CELLS_MAX = 128, CELLS = 1, T0, RATE, T, DER_T, LEFT };

typedef struct {
    double time;
    uint64_t n;
    double t0, rate, t[CELLS_MAX], der_t[CELLS_MAX], left;
    uint64_t used;   /* cells that have a temperature; the others take that of the last one */
} Values;

static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    [CELLS] = SCALAR(STRUCTURAL, UINT64, n),
    [T0] = SCALAR(FIXED, FLOAT64, t0),
    [RATE] = SCALAR(FIXED, FLOAT64, rate),
    [T] = ARRAY(OUTPUT, FLOAT64, t, 4),
    [DER_T] = ARRAY(LOCAL, FLOAT64, der_t, 4),
    [LEFT] = SCALAR(FIXED, FLOAT64, left),
};

static void start(void *values)
{
    Values *r = values;
    r->n = 4;
    r->t0 = 280.0;
    r->rate = 1.0;
    r->left = 300.0;
}

static size_t cells(const void *values) { return ((const Values *)values)->n; }

static size_t count(const void *values, uint32_t reference)
{
    return reference == T || reference == DER_T ? cells(values) : 0;
}

static void configure(void *values)
{
    Values *r = values;
    if (r->n < 1) r->n = 1;
    if (CELLS_MAX < r->n) r->n = CELLS_MAX;
    for (uint64_t i = r->used; 0 < r->used && i < r->n; i++) r->t[i] = r->t[r->used - 1];
    if (0 < r->used) r->used = r->n;
}

/* Nothing flows through the right end. */
static void outputs(void *values)
{
    Values *r = values;
    for (uint64_t i = 0; i < r->n; i++) {
        double left = i == 0 ? r->left : r->t[i - 1];
        double right = i == r->n - 1 ? r->t[i] : r->t[i + 1];
        r->der_t[i] = r->rate * ((left - r->t[i]) + (right - r->t[i]));
    }
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *r = values;
    for (uint64_t i = 0; i < r->n; i++) r->t[i] = r->t0;
    r->used = r->n;
    outputs(r);
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    const Values *r = values;
    if (unknown != DER_T || known != T) return false;
    for (uint64_t i = 0; i < r->n; i++) {
        double sum = (i == r->n - 1 ? -1.0 : -2.0) * seed[i];
        if (0 < i) sum += seed[i - 1];
        if (i < r->n - 1) sum += seed[i + 1];
        sensitivity[i] += r->rate * sum;
    }
    return true;
}

static const Exchange exchange = {
    .states = offsetof(Values, t), .derivatives = offsetof(Values, der_t), .count = cells,
};

const Model model = {
    .identifier = "exchange_rod", .token = "consort-testkit-exchange-rod-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .configure = configure, .count = count, .initialize = initialize, .outputs = outputs,
    .directional = directional, .exchange = &exchange,
};
