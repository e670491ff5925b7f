/* A programmable controller that keeps a tank from running over. */
#ifndef MODEL_H
#define MODEL_H

#define MODEL_GUID "consort-example-plc-1"

/* The value references of modelDescription.xml: inputs, parameters, outputs. */
enum {
    MEASUREMENT, BIAS,
    OPEN_AT, CLOSE_AT, TRIP_AT, OPENING,
    FIRST_OUTPUT,
    VALVE = FIRST_OUTPUT,
    ALARM,
    VARIABLES
};

typedef struct {
    double time;
    double value[VARIABLES];
} Model;

void model_start(Model *model);             /* start values */
const char *model_fault(const Model *model); /* what is wrong with the parameters, or NULL */
void model_initialize(Model *model);        /* the valve is shut and nothing was measured yet */
void model_step(Model *model, double length);

#endif
