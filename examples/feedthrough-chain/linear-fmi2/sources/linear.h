/* A linear system in discrete time, with two inputs, three states and two outputs. */
#ifndef LINEAR_H
#define LINEAR_H

#include <stdbool.h>
#include <stddef.h>

enum { INPUTS = 2, STATES = 3, OUTPUTS = 2 };

/* The arrays, row by row. What may be set comes before Y. */
enum { U, A, B, C, D, X0, Y, S, X, ARRAYS };

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
} Linear;

void linear_start(Linear *linear);      /* start values */
void linear_initialize(Linear *linear); /* states and outputs from parameters and inputs */
void linear_step(Linear *linear, double length);

/* Where an array lives and how many elements it has. */
double *linear_array(Linear *linear, unsigned array, size_t *elements);

#endif
