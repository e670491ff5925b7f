#include "linear.h"

#include <string.h>

void linear_start(Linear *linear) { memset(linear, 0, sizeof *linear); }

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

static void outputs(Linear *linear)
{
    memset(linear->s, 0, sizeof linear->s);
    add_product(linear->s, 1.0, linear->c, OUTPUTS, STATES, linear->x);
    memcpy(linear->y, linear->s, sizeof linear->y);
    add_product(linear->y, 1.0, linear->d, OUTPUTS, INPUTS, linear->u);
}

void linear_initialize(Linear *linear)
{
    memcpy(linear->x, linear->x0, sizeof linear->x);
    memcpy(linear->before, linear->u, sizeof linear->before);
    outputs(linear);
}

/* Explicit Euler with the inputs at the start of the step; then outputs with the inputs that are set. */
void linear_step(Linear *linear, double length)
{
    const double *at_start = linear->reactive ? linear->before : linear->u;
    double slope[STATES] = { 0.0 };
    add_product(slope, 1.0, linear->a, STATES, STATES, linear->x);
    add_product(slope, 1.0, linear->b, STATES, INPUTS, at_start);
    for (int i = 0; i < STATES; i++) linear->x[i] += length * slope[i];
    memcpy(linear->before, linear->u, sizeof linear->before);
    outputs(linear);
    linear->time += length;
}

double *linear_array(Linear *linear, unsigned array, size_t *elements)
{
    switch (array) {
        case U: *elements = INPUTS; return linear->u;
        case A: *elements = STATES * STATES; return linear->a;
        case B: *elements = STATES * INPUTS; return linear->b;
        case C: *elements = OUTPUTS * STATES; return linear->c;
        case D: *elements = OUTPUTS * INPUTS; return linear->d;
        case X0: *elements = STATES; return linear->x0;
        case Y: *elements = OUTPUTS; return linear->y;
        case S: *elements = OUTPUTS; return linear->s;
        case X: *elements = STATES; return linear->x;
        default: return NULL;
    }
}
