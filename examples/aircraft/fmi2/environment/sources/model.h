/* The U.S. Standard Atmosphere 1976, wind and a gust. */
#ifndef MODEL_H
#define MODEL_H

#define MODEL_GUID "consort-example-environment-1"

/* The value references of modelDescription.xml: inputs, parameters, outputs. */
enum {
    in_altitude,
    par_wind0_north, par_wind0_east, par_wind0_down, par_gust_north, par_gust_east, par_gust_down, par_gust_start,
    par_gust_duration,
    FIRST_OUTPUT,
    out_temperature = FIRST_OUTPUT,
    out_pressure, out_density, out_speed_of_sound, out_wind_north, out_wind_east, out_wind_down,
    VARIABLES
};

typedef struct {
    double time;
    double value[VARIABLES];
} Model;

void model_start(Model *model);             /* start values */
const char *model_fault(const Model *model); /* what is wrong with the parameters, or NULL */
void model_initialize(Model *model);        /* outputs from parameters and inputs */
void model_step(Model *model, double length);

#endif
