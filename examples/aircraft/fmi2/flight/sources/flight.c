/* The equations of examples/aircraft/README.md, in the order of operations of `native:flight-dynamics`. */
#include "consort_model.h"

#include <math.h>
#include <string.h>

/* The variables in the order of their value references in modelDescription.xml. */
#define VARIABLES(IN, PAR, OUT)                                                                                       \
    IN(density) IN(speed_of_sound) IN(wind_north) IN(wind_east) IN(wind_down) IN(elevator) IN(aileron) IN(rudder)     \
    IN(thrust_left) IN(thrust_right) PAR(mass) PAR(Ixx) PAR(Iyy) PAR(Izz) PAR(Ixz) PAR(S) PAR(c) PAR(b) PAR(CL0)      \
    PAR(CLalpha) PAR(CLq) PAR(CLalphadot) PAR(CLde) PAR(CD0) PAR(k) PAR(CYbeta) PAR(CYp) PAR(CYr) PAR(CYda)           \
    PAR(CYdr) PAR(Clbeta) PAR(Clp) PAR(Clr) PAR(Clda) PAR(Cldr) PAR(Cm0) PAR(Cmalpha) PAR(Cmq) PAR(Cmalphadot)        \
    PAR(Cmde) PAR(Cnbeta) PAR(Cnp) PAR(Cnr) PAR(Cnda) PAR(Cndr) PAR(engine_right) PAR(engine_down) PAR(gravity)       \
    PAR(earth_radius) PAR(speed0) PAR(angle_of_attack0) PAR(sideslip0) PAR(roll0) PAR(pitch0) PAR(heading0)           \
    PAR(latitude0) PAR(longitude0) PAR(altitude0) OUT(latitude) OUT(longitude) OUT(altitude) OUT(roll) OUT(pitch)     \
    OUT(heading) OUT(roll_rate) OUT(pitch_rate) OUT(yaw_rate) OUT(ground_speed) OUT(climb_rate) OUT(airspeed)         \
    OUT(angle_of_attack) OUT(sideslip) OUT(mach) OUT(dynamic_pressure) OUT(acceleration_forward)                      \
    OUT(acceleration_right) OUT(acceleration_down) OUT(load_factor) OUT(roll_acceleration) OUT(pitch_acceleration)    \
    OUT(yaw_acceleration)

#define NAME_IN(name) in_##name,
#define NAME_PAR(name) par_##name,
#define NAME_OUT(name) out_##name,
enum { VARIABLES(NAME_IN, NAME_PAR, NAME_OUT) COUNT };

typedef struct {
    double time;
    double value[COUNT];
    double state[13]; /* velocity, rates, quaternion, latitude, longitude, altitude */
} Values;

#define ROW_IN(name) SCALAR(INPUT, FLOAT64, value[in_##name]),
#define ROW_PAR(name) SCALAR(FIXED, FLOAT64, value[par_##name]),
#define ROW_OUT(name) SCALAR(OUTPUT, FLOAT64, value[out_##name]),
static const Variable variables[] = { VARIABLES(ROW_IN, ROW_PAR, ROW_OUT) };

enum { STATES = 13 };

typedef struct {
    const double *velocity, *rates, *quaternion, *position;
    double matrix[3][3]; /* turns local vectors into body vectors */
} Motion;

typedef struct {
    double velocity[3], speed, angle_of_attack, sideslip, dynamic_pressure;
    double roll_rate, pitch_rate, yaw_rate, chord_time; /* dimensionless, for the derivatives */
} Air;

static void start(void *values)
{
    double *v = ((Values *)values)->value;
    v[in_density] = 0.962873;
    v[in_speed_of_sound] = 330.9;
    v[par_mass] = 2086.524902;
    v[par_Ixx] = 12045.087;
    v[par_Iyy] = 2628.931;
    v[par_Izz] = 14915.353;
    v[par_S] = 16.258032;
    v[par_c] = 1.459992;
    v[par_b] = 11.24712;
    v[par_CL0] = 0.288;
    v[par_CLalpha] = 4.58;
    v[par_CLq] = 9.7;
    v[par_CLalphadot] = 5.3;
    v[par_CLde] = 0.81;
    v[par_CD0] = 0.029;
    v[par_k] = 0.06065;
    v[par_CYbeta] = -0.698;
    v[par_CYp] = -0.141;
    v[par_CYr] = 0.355;
    v[par_CYdr] = 0.23;
    v[par_Clbeta] = -0.1096;
    v[par_Clp] = -0.551;
    v[par_Clr] = 0.0729;
    v[par_Clda] = 0.172;
    v[par_Cldr] = 0.0192;
    v[par_Cm0] = 0.07;
    v[par_Cmalpha] = -0.137;
    v[par_Cmq] = -26.3;
    v[par_Cmalphadot] = -12.7;
    v[par_Cmde] = -2.26;
    v[par_Cnbeta] = 0.1444;
    v[par_Cnp] = -0.0257;
    v[par_Cnr] = -0.1495;
    v[par_Cnda] = -0.0168;
    v[par_Cndr] = -0.1152;
    v[par_engine_right] = 1.778;
    v[par_engine_down] = -0.17526;
    v[par_gravity] = 9.80665;
    v[par_earth_radius] = 6371000.0;
    v[par_speed0] = 95.25;
    v[par_angle_of_attack0] = -0.005143628136;
    v[par_pitch0] = -0.005143628136;
    v[par_latitude0] = 0.66;
    v[par_longitude0] = -1.7;
    v[par_altitude0] = 2439.335707904;
}

/* What is wrong with the parameters; NULL if nothing. */
static const char *fault(const double *v)
{
    double determinant = v[par_Ixx] * v[par_Izz] - v[par_Ixz] * v[par_Ixz];
    if (!(0.0 < v[par_mass])) return "the mass must be positive";
    if (!(0.0 < v[par_Ixx] && 0.0 < v[par_Iyy] && 0.0 < v[par_Izz] && 0.0 < determinant))
        return "the moments of inertia are of no body";
    return 0.0 < v[par_earth_radius] ? NULL : "the radius of the earth must be positive";
}

static double clamp(double value) { return value < -1.0 ? -1.0 : 1.0 < value ? 1.0 : value; }

static void normalize(const double q[4], double unit[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) unit[i] = q[i] / length;
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static Motion motion_of(const double x[STATES])
{
    Motion motion = { .velocity = x, .rates = x + 3, .quaternion = x + 6, .position = x + 10 };
    double q[4];
    normalize(x + 6, q);
    double a = q[0], b = q[1], c = q[2], d = q[3];
    const double matrix[3][3] = {
        { a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d), 2.0 * (b * d - a * c) },
        { 2.0 * (b * c - a * d), a * a - b * b + c * c - d * d, 2.0 * (c * d + a * b) },
        { 2.0 * (b * d + a * c), 2.0 * (c * d - a * b), a * a - b * b - c * c + d * d },
    };
    memcpy(motion.matrix, matrix, sizeof matrix);
    return motion;
}

static void ground_velocity(const Motion *motion, double local[3])
{
    const double(*m)[3] = motion->matrix;
    const double *v = motion->velocity;
    for (int i = 0; i < 3; i++) local[i] = m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2];
}

static Air air_of(const Motion *motion, const double *v)
{
    Air air;
    for (int i = 0; i < 3; i++) {
        const double *row = motion->matrix[i];
        double wind = row[0] * v[in_wind_north] + row[1] * v[in_wind_east] + row[2] * v[in_wind_down];
        air.velocity[i] = motion->velocity[i] - wind;
    }
    const double *u = air.velocity;
    double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    air.speed = sqrt(square);
    air.angle_of_attack = atan2(u[2], u[0]);
    air.sideslip = asin(clamp(air.speed == 0.0 ? 0.0 : u[1] / air.speed));
    air.dynamic_pressure = 0.5 * v[in_density] * square;
    double by_speed = air.speed == 0.0 ? 0.0 : 0.5 / air.speed;
    air.roll_rate = motion->rates[0] * v[par_b] * by_speed;
    air.pitch_rate = motion->rates[1] * v[par_c] * by_speed;
    air.yaw_rate = motion->rates[2] * v[par_b] * by_speed;
    air.chord_time = v[par_c] * by_speed;
    return air;
}

/* A coefficient of the lateral motion; its derivatives follow each other. */
static double lateral(const double d[5], const Air *air, const double *v)
{
    return d[0] * air->sideslip + d[1] * air->roll_rate + d[2] * air->yaw_rate + d[3] * v[in_aileron] +
           d[4] * v[in_rudder];
}

/* Air and engines, but for what follows the rate of the angle of attack. */
static void steady_force(const Air *air, const double *v, double force[3])
{
    double still = v[par_CL0] + v[par_CLalpha] * air->angle_of_attack + v[par_CLde] * v[in_elevator];
    double pressed = air->dynamic_pressure * v[par_S];
    double lift = pressed * (still + v[par_CLq] * air->pitch_rate);
    double drag = pressed * (v[par_CD0] + v[par_k] * still * still);
    double sine = sin(air->angle_of_attack), cosine = cos(air->angle_of_attack);
    double thrust = v[in_thrust_left] + v[in_thrust_right];
    force[0] = thrust - drag * cosine + lift * sine;
    force[1] = pressed * lateral(v + par_CYbeta, air, v);
    force[2] = -drag * sine - lift * cosine;
}

/* Lift follows the rate of the angle of attack, and that rate follows lift: linear, so solved here for good. */
static double attack_rate(const Motion *motion, const Air *air, const double force[3], const double *v)
{
    double u = air->velocity[0], w = air->velocity[2], square = u * u + w * w, turning[3], along[3];
    if (square == 0.0) return 0.0;
    cross(motion->rates, air->velocity, turning);
    for (int i = 0; i < 3; i++)
        along[i] = force[i] / v[par_mass] + motion->matrix[i][2] * v[par_gravity] - turning[i];
    double without = (u * along[2] - w * along[0]) / square;
    double lift = air->dynamic_pressure * v[par_S] * v[par_CLalphadot] * air->chord_time;
    return without / (1.0 + lift / (v[par_mass] * sqrt(square)));
}

static void moments(const Air *air, double rate, const double *v, double moment[3])
{
    double pressed = air->dynamic_pressure * v[par_S];
    double pitch = v[par_Cm0] + v[par_Cmalpha] * air->angle_of_attack + v[par_Cmq] * air->pitch_rate +
                   v[par_Cmalphadot] * air->chord_time * rate + v[par_Cmde] * v[in_elevator];
    double left = v[in_thrust_left], right = v[in_thrust_right];
    moment[0] = pressed * v[par_b] * lateral(v + par_Clbeta, air, v);
    moment[1] = pressed * v[par_c] * pitch + v[par_engine_down] * (left + right);
    moment[2] = pressed * v[par_b] * lateral(v + par_Cnbeta, air, v) + v[par_engine_right] * (left - right);
}

/* By all forces but gravity, in body axes; and of the rates. */
static void accelerations(const Motion *motion, const Air *air, const double *v, double linear[3], double angular[3])
{
    double force[3], moment[3], p = motion->rates[0], q = motion->rates[1], r = motion->rates[2];
    steady_force(air, v, force);
    double rate = attack_rate(motion, air, force, v);
    double lift = air->dynamic_pressure * v[par_S] * v[par_CLalphadot] * air->chord_time * rate;
    force[0] += lift * sin(air->angle_of_attack);
    force[2] -= lift * cos(air->angle_of_attack);
    moments(air, rate, v, moment);
    for (int i = 0; i < 3; i++) linear[i] = force[i] / v[par_mass];

    double x = v[par_Ixx], y = v[par_Iyy], z = v[par_Izz], xz = v[par_Ixz];
    double roll = moment[0] + xz * p * q - (z - y) * q * r;
    double yaw = moment[2] - (y - x) * p * q - xz * q * r;
    double determinant = x * z - xz * xz;
    angular[0] = (z * roll + xz * yaw) / determinant;
    angular[1] = (moment[1] - (x - z) * p * r - xz * (p * p - r * r)) / y;
    angular[2] = (xz * roll + x * yaw) / determinant;
}

static void slopes(const double x[STATES], const double *v, double dx[STATES])
{
    Motion motion = motion_of(x);
    Air air = air_of(&motion, v);
    double linear[3], turning[3], ground[3];
    accelerations(&motion, &air, v, linear, dx + 3);
    cross(motion.rates, motion.velocity, turning);
    for (int i = 0; i < 3; i++) dx[i] = linear[i] + motion.matrix[i][2] * v[par_gravity] - turning[i];
    double a = x[6], b = x[7], c = x[8], d = x[9], p = x[3], q = x[4], r = x[5];
    dx[6] = -0.5 * (b * p + d * r + c * q);
    dx[7] = 0.5 * (a * p + c * r - d * q);
    dx[8] = 0.5 * (a * q + d * p - b * r);
    dx[9] = 0.5 * (a * r + b * q - c * p);
    ground_velocity(&motion, ground);
    double radius = v[par_earth_radius] + x[12];
    dx[10] = ground[0] / radius;
    dx[11] = ground[1] / (radius * cos(x[10]));
    dx[12] = -ground[2];
}

static void outputs(Values *it)
{
    double *v = it->value, ground[3], linear[3], angular[3];
    Motion motion = motion_of(it->state);
    Air air = air_of(&motion, v);
    accelerations(&motion, &air, v, linear, angular);
    ground_velocity(&motion, ground);
    const double(*m)[3] = motion.matrix;
    for (int i = 0; i < 3; i++) {
        v[out_latitude + i] = motion.position[i];
        v[out_roll_rate + i] = motion.rates[i];
        v[out_acceleration_forward + i] = linear[i];
        v[out_roll_acceleration + i] = angular[i];
    }
    v[out_roll] = atan2(m[1][2], m[2][2]);
    v[out_pitch] = asin(clamp(-m[0][2]));
    v[out_heading] = atan2(m[0][1], m[0][0]);
    v[out_ground_speed] = sqrt(ground[0] * ground[0] + ground[1] * ground[1]);
    v[out_climb_rate] = -ground[2];
    v[out_airspeed] = air.speed;
    v[out_angle_of_attack] = air.angle_of_attack;
    v[out_sideslip] = air.sideslip;
    v[out_mach] = air.speed / v[in_speed_of_sound];
    v[out_dynamic_pressure] = air.dynamic_pressure;
    v[out_load_factor] = -linear[2] / v[par_gravity];
}

static Status initialize(const Context *context, void *values)
{
    Values *it = values;
    const char *reason = fault(it->value);
    if (reason) {
        context->log(context, ERROR, "%s", reason);
        return ERROR;
    }
    double *x = it->state, quaternion[4];
    const double *v = it->value;
    double attack = v[par_angle_of_attack0], slip = v[par_sideslip0];
    x[0] = v[par_speed0] * cos(attack) * cos(slip);
    x[1] = v[par_speed0] * sin(slip);
    x[2] = v[par_speed0] * sin(attack) * cos(slip);
    x[3] = x[4] = x[5] = 0.0;
    double sr = sin(v[par_roll0] / 2.0), cr = cos(v[par_roll0] / 2.0);
    double sp = sin(v[par_pitch0] / 2.0), cp = cos(v[par_pitch0] / 2.0);
    double sh = sin(v[par_heading0] / 2.0), ch = cos(v[par_heading0] / 2.0);
    quaternion[0] = cr * cp * ch + sr * sp * sh;
    quaternion[1] = sr * cp * ch - cr * sp * sh;
    quaternion[2] = cr * sp * ch + sr * cp * sh;
    quaternion[3] = cr * cp * sh - sr * sp * ch;
    normalize(quaternion, x + 6);
    for (int i = 0; i < 3; i++) x[10 + i] = v[par_latitude0 + i];
    outputs(it);
    return OK;
}

/* Classical Runge-Kutta with the inputs held. */
static Status step(const Context *context, void *values, Step *step)
{
    (void)context;
    Values *it = values;
    double length = step->length;
    static const double PART[] = { 0.5, 0.5, 1.0 }, WEIGHT[] = { 2.0, 2.0, 1.0 };
    double *x = it->state, slope[STATES], stage[STATES], sum[STATES], quaternion[4];
    slopes(x, it->value, slope);
    memcpy(sum, slope, sizeof sum);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < STATES; i++) stage[i] = x[i] + PART[k] * length * slope[i];
        slopes(stage, it->value, slope);
        for (int i = 0; i < STATES; i++) sum[i] += WEIGHT[k] * slope[i];
    }
    for (int i = 0; i < STATES; i++) x[i] += length / 6.0 * sum[i];
    normalize(x + 6, quaternion);
    memcpy(x + 6, quaternion, sizeof quaternion);
    outputs(it);
    return OK;
}

const Model model = {
    .identifier = "flight", .token = "consort-example-flight-1", .size = sizeof(Values), ROWS(variables),
    .start = start, .initialize = initialize, .step = step,
};
