/* A water tank with an inlet at the top and a valve at the bottom. */
#ifndef MODEL_H
#define MODEL_H

#define MODEL_GUID "consort-example-tank-1"

/* The value references of modelDescription.xml: inputs, parameters, outputs. */
enum {
    INFLOW, VALVE,
    AREA, OUTLET, DISCHARGE, INITIAL_LEVEL,
    FIRST_OUTPUT,
    LEVEL = FIRST_OUTPUT,
    OUTFLOW,
    VARIABLES
};

typedef struct {
    double time;
    double value[VARIABLES];
} Model;

void model_start(Model *model);             /* start values */
const char *model_fault(const Model *model); /* what is wrong with the parameters, or NULL */
void model_initialize(Model *model);        /* level and outflow from parameters and inputs */
void model_step(Model *model, double length);

#endif
