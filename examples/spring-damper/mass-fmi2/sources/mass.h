/* A mass between a spring to the wall and a spring to something else that moves. */
#ifndef MASS_H
#define MASS_H

#include <stdbool.h>

/* The variables of modelDescription.xml: inputs, parameters, outputs. */
enum {
    FORCE, OTHER_X, OTHER_V,
    MASS, STIFFNESS, DAMPING, COUPLING_STIFFNESS, X0, V0, LONGEST, BARRIER,
    X, V, PULL, VARIABLES
};

typedef struct {
    double time;
    double value[VARIABLES];
} Mass;

void mass_start(Mass *mass);      /* start values */
void mass_initialize(Mass *mass); /* states and outputs from parameters and inputs */

/* Moves on by a step, or by as much of it as the mass accepts; false if that is not all. */
bool mass_step(Mass *mass, double length);

#endif
