/* The U.S. Standard Atmosphere 1976 up to 84.852 km, in the order of operations of `native:atmosphere`. */
#include "consort_model.h"

#include <math.h>

/* The variables in the order of their value references in modelDescription.xml. */
#define VARIABLES(IN, PAR, OUT)                                                                                       \
    IN(altitude) PAR(wind0_north) PAR(wind0_east) PAR(wind0_down) PAR(gust_north) PAR(gust_east) PAR(gust_down)       \
    PAR(gust_start) PAR(gust_duration) OUT(temperature) OUT(pressure) OUT(density) OUT(speed_of_sound)                \
    OUT(wind_north) OUT(wind_east) OUT(wind_down)

#define NAME_IN(name) in_##name,
#define NAME_PAR(name) par_##name,
#define NAME_OUT(name) out_##name,
enum { VARIABLES(NAME_IN, NAME_PAR, NAME_OUT) COUNT };

typedef struct {
    double time;
    double value[COUNT];
} Values;

#define ROW_IN(name) SCALAR(INPUT, FLOAT64, value[in_##name]),
#define ROW_PAR(name) SCALAR(FIXED, FLOAT64, value[par_##name]),
#define ROW_OUT(name) SCALAR(OUTPUT, FLOAT64, value[out_##name]),
static const Variable variables[] = { VARIABLES(ROW_IN, ROW_PAR, ROW_OUT) };

static const double GAS_CONSTANT = 8314.32 / 28.9644; /* [J/(kg K)] */
static const double HEAT_RATIO = 1.4;
static const double GRAVITY = 9.80665;           /* [m/s2] */
static const double EARTH_RADIUS = 6356766.0;    /* [m] */
static const double TOP = 84852.0;               /* [m] */
static const double TURN = 6.283185307179586;    /* [rad] */

enum { LAYERS = 7 };

/* Where layers begin [m], and how temperature changes in them [K/m]. */
static const double BASE[LAYERS] = { 0.0, 11000.0, 20000.0, 32000.0, 47000.0, 51000.0, 71000.0 };
static const double SLOPE[LAYERS] = { -0.0065, 0.0, 0.001, 0.0028, 0.0, -0.0028, -0.002 };

static void start(void *values) { ((Values *)values)->value[par_gust_duration] = 1.0; }

/* What is wrong with the parameters; NULL if nothing. */
static const char *fault(const double *v)
{
    return 0.0 <= v[par_gust_duration] ? NULL : "a gust cannot take less than no time";
}

/* From temperature and pressure at the base of a layer to those at an altitude. */
static void rise(int layer, double altitude, double *temperature, double *pressure)
{
    double above = altitude - BASE[layer], exponent = GRAVITY / GAS_CONSTANT;
    double base = *temperature, here = base + SLOPE[layer] * above;
    double ratio = SLOPE[layer] == 0.0 ? exp(-exponent * above / base) : pow(here / base, -exponent / SLOPE[layer]);
    *temperature = here;
    *pressure = *pressure * ratio;
}

static void outputs(void *values)
{
    Values *it = values;
    double *v = it->value, altitude = v[in_altitude], temperature = 288.15, pressure = 101325.0;
    double geopotential = EARTH_RADIUS * altitude / (EARTH_RADIUS + altitude);
    if (TOP < geopotential) geopotential = TOP;
    int layer = 0;
    for (; layer + 1 < LAYERS && BASE[layer + 1] <= geopotential; layer++)
        rise(layer, BASE[layer + 1], &temperature, &pressure);
    rise(layer, geopotential, &temperature, &pressure);
    double energy = GAS_CONSTANT * temperature;
    v[out_temperature] = temperature;
    v[out_pressure] = pressure;
    v[out_density] = pressure / energy;
    v[out_speed_of_sound] = sqrt(HEAT_RATIO * energy);

    double elapsed = it->time - v[par_gust_start], duration = v[par_gust_duration];
    double part = 0.0 < elapsed && elapsed < duration ? 0.5 - 0.5 * cos(TURN * (elapsed / duration)) : 0.0;
    for (int i = 0; i < 3; i++) v[out_wind_north + i] = v[par_wind0_north + i] + part * v[par_gust_north + i];
}

static Status initialize(const Context *context, void *values)
{
    Values *it = values;
    const char *reason = fault(it->value);
    if (reason) {
        context->log(context, ERROR, "%s", reason);
        return ERROR;
    }
    outputs(it);
    return OK;
}

/* Outputs follow the inputs and the time. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context, (void)values, (void)step;
    return OK;
}

const Model model = {
    .identifier = "environment", .token = "consort-example-environment-1", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .outputs = outputs, .step = step,
};
