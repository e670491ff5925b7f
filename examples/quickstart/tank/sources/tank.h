/* A water tank with an inlet at the top and a valve at the bottom. */
#ifndef TANK_H
#define TANK_H

/* The value references of modelDescription.xml. */
enum { INFLOW, VALVE, AREA, OUTLET, DISCHARGE, INITIAL_LEVEL, LEVEL, OUTFLOW, VARIABLES };

typedef struct {
    double time;
    double value[VARIABLES];
} Tank;

void tank_start(Tank *tank);      /* start values */
void tank_initialize(Tank *tank); /* level and outflow from parameters and inputs */
void tank_step(Tank *tank, double length);

#endif
