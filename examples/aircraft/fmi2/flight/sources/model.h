/* A Cessna 310 with six degrees of freedom. */
#ifndef MODEL_H
#define MODEL_H

#define MODEL_GUID "consort-example-flight-1"

/* The value references of modelDescription.xml: inputs, parameters, outputs. */
enum {
    in_density, in_speed_of_sound, in_wind_north, in_wind_east, in_wind_down, in_elevator, in_aileron, in_rudder,
    in_thrust_left, in_thrust_right,
    par_mass, par_Ixx, par_Iyy, par_Izz, par_Ixz, par_S, par_c, par_b, par_CL0, par_CLalpha, par_CLq, par_CLalphadot,
    par_CLde, par_CD0, par_k, par_CYbeta, par_CYp, par_CYr, par_CYda, par_CYdr, par_Clbeta, par_Clp, par_Clr,
    par_Clda, par_Cldr, par_Cm0, par_Cmalpha, par_Cmq, par_Cmalphadot, par_Cmde, par_Cnbeta, par_Cnp, par_Cnr,
    par_Cnda, par_Cndr, par_engine_right, par_engine_down, par_gravity, par_earth_radius, par_speed0,
    par_angle_of_attack0, par_sideslip0, par_roll0, par_pitch0, par_heading0, par_latitude0, par_longitude0,
    par_altitude0,
    FIRST_OUTPUT,
    out_latitude = FIRST_OUTPUT,
    out_longitude, out_altitude, out_roll, out_pitch, out_heading, out_roll_rate, out_pitch_rate, out_yaw_rate,
    out_ground_speed, out_climb_rate, out_airspeed, out_angle_of_attack, out_sideslip, out_mach,
    out_dynamic_pressure, out_acceleration_forward, out_acceleration_right, out_acceleration_down, out_load_factor,
    out_roll_acceleration, out_pitch_acceleration, out_yaw_acceleration,
    VARIABLES
};

typedef struct {
    double time;
    double value[VARIABLES];
    double state[13];
} Model;

void model_start(Model *model);             /* start values */
const char *model_fault(const Model *model); /* what is wrong with the parameters, or NULL */
void model_initialize(Model *model);        /* outputs from parameters and inputs */
void model_step(Model *model, double length);

#endif
