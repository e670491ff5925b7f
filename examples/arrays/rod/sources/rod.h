/* Heat conduction in a rod of n cells in a row, each of which can be heated. */
#ifndef ROD_H
#define ROD_H

#include <stdint.h>

enum { CELLS_MAX = 64 };

/* The value references of modelDescription.xml. */
enum { TIME, CELLS, HEATING, CAPACITY, CONDUCTANCE, LOSS, AMBIENT, INITIAL, TEMPERATURE, MEAN, VARIABLES };

typedef struct {
    double time;
    uint64_t cells;
    double heating[CELLS_MAX];     /* [W] per cell - input */
    double capacity;               /* [J/K] per cell - parameter */
    double conductance;            /* [W/K] between neighbors - parameter */
    double loss;                   /* [W/K] from each cell to the surroundings - parameter */
    double ambient;                /* [K] - parameter */
    double initial;                /* [K] of all cells at the start - parameter */
    double temperature[CELLS_MAX]; /* [K] per cell - output and state */
    double mean;                   /* [K] - output */
} Rod;

void rod_start(Rod *rod);      /* start values */
void rod_initialize(Rod *rod); /* temperatures from parameters */
void rod_step(Rod *rod, double length);

#endif
