/* A linear system in discrete time, with two inputs, three states and two outputs. */
#include "consort_model.h"

#include <string.h>

enum { INPUTS = 2, STATES = 3, OUTPUTS = 2 };

typedef struct {
    double time;
    double u[INPUTS];
    double a[STATES * STATES], b[STATES * INPUTS], c[OUTPUTS * STATES], d[OUTPUTS * INPUTS];
    double x0[STATES];
    double y[OUTPUTS]; /* C x + D u */
    double s[OUTPUTS]; /* C x */
    double x[STATES];
    double before[INPUTS]; /* the inputs at the end of the last step */
    bool reactive;         /* the inputs set before a step are those at its end */
} Values;

/* The elements of an array as variables of their own. */
#define ELEMENT(kind, array, i) { kind, FLOAT64, offsetof(Values, array) + (i) * sizeof(double), 1 }
#define TWO(kind, array, i) ELEMENT(kind, array, i), ELEMENT(kind, array, (i) + 1)
#define THREE(kind, array, i) TWO(kind, array, i), ELEMENT(kind, array, (i) + 2)

/* FMI 3 has arrays, FMI 2 their elements: the two descriptions refer to different rows. */
static const Variable variables[] = {
    SCALAR(INDEPENDENT, FLOAT64, time),
    ARRAY(INPUT, FLOAT64, u, INPUTS),
    ARRAY(FIXED, FLOAT64, a, STATES * STATES),
    ARRAY(FIXED, FLOAT64, b, STATES * INPUTS),
    ARRAY(FIXED, FLOAT64, c, OUTPUTS * STATES),
    ARRAY(FIXED, FLOAT64, d, OUTPUTS * INPUTS),
    ARRAY(FIXED, FLOAT64, x0, STATES),
    ARRAY(OUTPUT, FLOAT64, y, OUTPUTS),
    ARRAY(OUTPUT, FLOAT64, s, OUTPUTS),
    ARRAY(LOCAL, FLOAT64, x, STATES),
    SCALAR(FIXED, BOOLEAN, reactive),
    TWO(INPUT, u, 0),
    THREE(FIXED, a, 0), THREE(FIXED, a, 3), THREE(FIXED, a, 6),
    TWO(FIXED, b, 0), TWO(FIXED, b, 2), TWO(FIXED, b, 4),
    THREE(FIXED, c, 0), THREE(FIXED, c, 3),
    TWO(FIXED, d, 0), TWO(FIXED, d, 2),
    THREE(FIXED, x0, 0),
    TWO(OUTPUT, y, 0),
    TWO(OUTPUT, s, 0),
    THREE(LOCAL, x, 0),
};

/* All values are zero already. */
static void start(void *values) { (void)values; }

/* result[i] += scale * sum over j of matrix[i][j] * vector[j], in this order. */
static void add_product(double *result, double scale, const double *matrix, int rows, int columns,
                        const double *vector)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < columns; j++) sum += matrix[i * columns + j] * vector[j];
        result[i] += scale * sum;
    }
}

static void outputs(Values *linear)
{
    memset(linear->s, 0, sizeof linear->s);
    add_product(linear->s, 1.0, linear->c, OUTPUTS, STATES, linear->x);
    memcpy(linear->y, linear->s, sizeof linear->y);
    add_product(linear->y, 1.0, linear->d, OUTPUTS, INPUTS, linear->u);
}

static Status initialize(const Context *context, void *values)
{
    (void)context;
    Values *linear = values;
    memcpy(linear->x, linear->x0, sizeof linear->x);
    memcpy(linear->before, linear->u, sizeof linear->before);
    outputs(linear);
    return OK;
}

/* Explicit Euler with the inputs at the start of the step; then outputs with the inputs that are set. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *linear = values;
    const double *at_start = linear->reactive ? linear->before : linear->u;
    double slope[STATES] = { 0.0 };
    add_product(slope, 1.0, linear->a, STATES, STATES, linear->x);
    add_product(slope, 1.0, linear->b, STATES, INPUTS, at_start);
    for (int i = 0; i < STATES; i++) linear->x[i] += step->length * slope[i];
    memcpy(linear->before, linear->u, sizeof linear->before);
    outputs(linear);
    return OK;
}

const Model model = {
    .identifier = "linear", .token = "consort-example-linear", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .step = step,
};
