/* The U.S. Standard Atmosphere 1976 up to 84.852 km, in the order of operations of `native:atmosphere`. */
#include "model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

void model_start(Model *model)
{
    memset(model, 0, sizeof *model);
    model->value[par_gust_duration] = 1.0;
}

const char *model_fault(const Model *model)
{
    return 0.0 <= model->value[par_gust_duration] ? NULL : "a gust cannot take less than no time";
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

static void outputs(Model *model)
{
    double *v = model->value, altitude = v[in_altitude], temperature = 288.15, pressure = 101325.0;
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

    double elapsed = model->time - v[par_gust_start], duration = v[par_gust_duration];
    double part = 0.0 < elapsed && elapsed < duration ? 0.5 - 0.5 * cos(TURN * (elapsed / duration)) : 0.0;
    for (int i = 0; i < 3; i++) v[out_wind_north + i] = v[par_wind0_north + i] + part * v[par_gust_north + i];
}

void model_initialize(Model *model) { outputs(model); }

void model_step(Model *model, double length)
{
    model->time += length;
    outputs(model);
}
