#include "consort_model.h"

#include <string.h>

enum { SIZE_MAX_EACH = 8, CELLS = SIZE_MAX_EACH * SIZE_MAX_EACH };

/* Arrays are packed row by row at their present size. */
typedef struct {
    double time;
    uint64_t m, n, r; /* inputs, states, outputs */
    double A[CELLS], B[CELLS], C[CELLS], D[CELLS], x0[SIZE_MAX_EACH];
    double u[SIZE_MAX_EACH], y[SIZE_MAX_EACH], x[SIZE_MAX_EACH];
} Values;

enum { TIME, M, N, R, A, B, C, D, X0, U, Y, X };

static const Variable variables[] = {
    [TIME] = SCALAR(INDEPENDENT, FLOAT64, time),
    [M] = SCALAR(STRUCTURAL, UINT64, m),
    [N] = SCALAR(STRUCTURAL, UINT64, n),
    [R] = SCALAR(STRUCTURAL, UINT64, r),
    [A] = ARRAY(TUNABLE, FLOAT64, A, 9),
    [B] = ARRAY(TUNABLE, FLOAT64, B, 9),
    [C] = ARRAY(TUNABLE, FLOAT64, C, 9),
    [D] = ARRAY(TUNABLE, FLOAT64, D, 9),
    [X0] = ARRAY(FIXED, FLOAT64, x0, 3),
    [U] = ARRAY(INPUT, FLOAT64, u, 3),
    [Y] = ARRAY(OUTPUT, FLOAT64, y, 3),
    [X] = ARRAY(LOCAL, FLOAT64, x, 3),
};

static size_t count(const void *values, uint32_t reference)
{
    const Values *s = values;
    switch (reference) {
        case A: return s->n * s->n;
        case B: return s->n * s->m;
        case C: return s->r * s->n;
        case D: return s->r * s->m;
        case X0: case X: return s->n;
        case U: return s->m;
        case Y: return s->r;
        default: return 1;
    }
}

static void diagonal(double *matrix, uint64_t rows, uint64_t columns, double value)
{
    memset(matrix, 0, CELLS * sizeof *matrix);
    for (uint64_t i = 0; i < rows && i < columns; i++) matrix[i * columns + i] = value;
}

static uint64_t clamped(uint64_t size) { return size < 1 ? 1 : SIZE_MAX_EACH < size ? SIZE_MAX_EACH : size; }

/* Sizes changed: everything else takes its start value in the new size. */
static void configure(void *values)
{
    Values *s = values;
    s->m = clamped(s->m);
    s->n = clamped(s->n);
    s->r = clamped(s->r);
    diagonal(s->A, s->n, s->n, -1.0);
    diagonal(s->B, s->n, s->m, 1.0);
    diagonal(s->C, s->r, s->n, 1.0);
    diagonal(s->D, s->r, s->m, 0.0);
    memset(s->x0, 0, sizeof s->x0);
    memset(s->u, 0, sizeof s->u);
}

static void start(void *values)
{
    Values *s = values;
    s->m = s->n = s->r = 3;
    configure(s);
}

/* result[i] += scale * sum over j of matrix[i][j] * vector[j], in this order. */
static void add_product(double *result, double scale, const double *matrix, uint64_t rows, uint64_t columns,
                        const double *vector)
{
    for (uint64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (uint64_t j = 0; j < columns; j++) sum += matrix[i * columns + j] * vector[j];
        result[i] += scale * sum;
    }
}

static void outputs(void *values)
{
    Values *s = values;
    memset(s->y, 0, sizeof s->y);
    add_product(s->y, 1.0, s->C, s->r, s->n, s->x);
    add_product(s->y, 1.0, s->D, s->r, s->m, s->u);
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *s = values;
    memcpy(s->x, s->x0, sizeof s->x);
    outputs(s);
    return OK;
}

static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *s = values;
    double slope[SIZE_MAX_EACH] = { 0 };
    add_product(slope, 1.0, s->A, s->n, s->n, s->x);
    add_product(slope, 1.0, s->B, s->n, s->m, s->u);
    for (uint64_t i = 0; i < s->n; i++) s->x[i] += step->length * slope[i];
    return OK;
}

static bool directional(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity)
{
    const Values *s = values;
    if (unknown != Y || known != U) return false;
    add_product(sensitivity, 1.0, s->D, s->r, s->m, seed);
    return true;
}

const Model model = {
    .identifier = "statespace", .token = "consort-testkit-statespace-1", .size = sizeof(Values),
    .variables = variables, .variable_count = sizeof variables / sizeof *variables,
    .start = start, .configure = configure, .count = count, .initialize = initialize, .outputs = outputs,
    .step = step, .directional = directional,
};
