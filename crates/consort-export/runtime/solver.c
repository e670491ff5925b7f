/* The solver of Co-Simulation: RODAS, a Rosenbrock method of order 4 with an embedded one of order 3, stiffly accurate,
 * with dense output of order 3 (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.10).
 *
 * One step depends on the step before by nothing but the step size, so saving that saves the solver. */
#include "runtime.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 6, INNER = 5 };

static const double GAMMA = 0.25;

/* Where the stages look, and what the derivative by time counts there. */
static const double NODE[STAGES] = { 0.0, 0.386, 0.21, 0.63, 1.0, 1.0 };
static const double BY_TIME[STAGES] = { 0.25, -0.1043, 0.1035, -0.03620000000000023, 0.0, 0.0 };

/* States of a stage from the stages before; the last two add the stage before as it is. */
static const double A[STAGES][INNER] = {
    { 0.0, 0.0, 0.0, 0.0, 0.0 },
    { 1.544, 0.0, 0.0, 0.0, 0.0 },
    { 0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0 },
    { 3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0 },
    { 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 0.0 },
    { 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0 },
};

/* What stages before add to the right side of a stage. */
static const double C[STAGES][INNER] = {
    { 0.0, 0.0, 0.0, 0.0, 0.0 },
    { -5.6688, 0.0, 0.0, 0.0, 0.0 },
    { -2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0 },
    { -0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0 },
    { 7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160, 0.0 },
    { 8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054 },
};

/* Dense output. */
static const double D[2][INNER] = {
    { 10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662 },
    { -0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872 },
};

/* A step that would have to be shorter than this many units in the last place of time is a failure. */
static const double UNITS_MIN = 16.0;

struct Solver {
    size_t n;
    double *matrix;              /* 1/(gamma h) - J, factored in place, by rows */
    size_t *pivots;
    size_t *first, *last;        /* of each row: where it is not zero */
    double *stage[STAGES];
    double *before, *after;      /* states */
    double *derivative, *by_time, *right_side;
    double *dense[2];
};

static double **vectors(Solver *solver, size_t i)
{
    double **all[] = { &solver->before, &solver->after, &solver->derivative, &solver->by_time, &solver->right_side,
                       &solver->dense[0], &solver->dense[1] };
    if (i < STAGES) return &solver->stage[i];
    return i - STAGES < sizeof all / sizeof *all ? all[i - STAGES] : NULL;
}

Solver *solver_new(void)
{
    Solver *solver = calloc(1, sizeof *solver);
    size_t n = model.states, room = n ? n : 1, i;
    bool is_whole;
    if (!solver) return NULL;
    solver->n = n;
    solver->matrix = malloc(room * room * sizeof(double));
    solver->pivots = calloc(room, sizeof(size_t));
    solver->first = calloc(room, sizeof(size_t));
    solver->last = calloc(room, sizeof(size_t));
    is_whole = solver->matrix && solver->pivots && solver->first && solver->last;
    for (i = 0; vectors(solver, i); i++) {
        *vectors(solver, i) = calloc(room, sizeof(double));
        is_whole = is_whole && *vectors(solver, i);
    }
    if (is_whole) return solver;
    solver_free(solver);
    return NULL;
}

void solver_free(Solver *solver)
{
    size_t i;
    if (!solver) return;
    for (i = 0; vectors(solver, i); i++) free(*vectors(solver, i));
    free(solver->matrix);
    free(solver->pivots);
    free(solver->first);
    free(solver->last);
    free(solver);
}

static double *row(const Solver *solver, size_t i) { return solver->matrix + i * solver->n; }

/* 1/(gamma h) - J */
static void fill_matrix(Instance *instance, double step)
{
    Solver *solver = instance->solver;
    const Jacobian *jacobian = &model.by_state;
    size_t n = solver->n, i, column;
    memset(solver->matrix, 0, n * n * sizeof(double));
    for (i = 0; i < n; i++) {
        row(solver, i)[i] = 1.0 / (GAMMA * step);
        solver->first[i] = solver->last[i] = i;
    }
    for (column = 0; column < n; column++)
        for (i = jacobian->column_starts[column]; i < jacobian->column_starts[column + 1]; i++) {
            size_t at = jacobian->row_of[i];
            row(solver, at)[column] -= instance->entries[i];
            if (column < solver->first[at]) solver->first[at] = column;
            if (solver->last[at] < column) solver->last[at] = column;
        }
}

static void swap_rows(Solver *solver, size_t a, size_t b)
{
    double *x = row(solver, a), *y = row(solver, b);
    size_t first = solver->first[a], last = solver->last[a], i;
    for (i = 0; i < solver->n; i++) {
        double value = x[i];
        x[i] = y[i];
        y[i] = value;
    }
    solver->first[a] = solver->first[b];
    solver->last[a] = solver->last[b];
    solver->first[b] = first;
    solver->last[b] = last;
}

/* LU decomposition with partial pivoting; what is always zero at the ends of rows costs nothing. False: singular. */
static bool factor(Solver *solver)
{
    size_t n = solver->n, i, j, k;
    for (k = 0; k < n; k++) {
        size_t best = k;
        for (i = k + 1; i < n; i++)
            if (solver->first[i] <= k && fabs(row(solver, best)[k]) < fabs(row(solver, i)[k])) best = i;
        solver->pivots[k] = best;
        if (best != k) swap_rows(solver, best, k);
        if (!(0.0 < fabs(row(solver, k)[k]))) return false;
        for (i = k + 1; i < n; i++) {
            double *x = row(solver, i), factor;
            const double *y = row(solver, k);
            if (k < solver->first[i] || x[k] == 0.0) continue;
            factor = x[k] /= y[k];
            if (solver->last[i] < solver->last[k]) solver->last[i] = solver->last[k];
            for (j = k + 1; j <= solver->last[k]; j++) x[j] -= factor * y[j];
        }
    }
    return true;
}

/* Solves in place. Row i of L was swapped with later pivots as well: permute first, then substitute. */
static void solve(const Solver *solver, double *b)
{
    size_t n = solver->n, i, j;
    for (i = 0; i < n; i++) {
        double value = b[solver->pivots[i]];
        b[solver->pivots[i]] = b[i];
        b[i] = value;
    }
    for (i = 0; i < n; i++)
        for (j = solver->first[i]; j < i; j++) b[i] -= row(solver, i)[j] * b[j];
    for (i = n; 0 < i--;) {
        for (j = i + 1; j <= solver->last[i]; j++) b[i] -= row(solver, i)[j] * b[j];
        b[i] /= row(solver, i)[i];
    }
}

/* The derivative at a time and states that the instance is put to. */
static void derive(Instance *instance, const Span *span, double time, const double *states, double *out)
{
    memcpy(instance->point + first_state(), states, model.states * sizeof(double));
    evaluate_at(instance, model.derivative, time, span->open_end, out);
}

/* The derivative of the derivative by time, by a difference that stays before the next event. */
static void derive_by_time(Instance *instance, const Span *span)
{
    Solver *solver = instance->solver;
    double width = sqrt(DBL_EPSILON * (1e-5 < fabs(span->start) ? fabs(span->start) : 1e-5)), later;
    size_t i;
    memset(solver->by_time, 0, solver->n * sizeof(double));
    if (!model.depends_on_time) return;
    if (span->open_end - span->start < 2.0 * width) width = 0.5 * (span->open_end - span->start);
    later = span->start + width;
    width = later - span->start;
    if (!(0.0 < width)) return;
    derive(instance, span, later, solver->before, solver->by_time);
    for (i = 0; i < solver->n; i++) solver->by_time[i] = (solver->by_time[i] - solver->derivative[i]) / width;
}

static bool is_column_finite(const Instance *instance, size_t column)
{
    size_t i;
    for (i = model.by_state.column_starts[column]; i < model.by_state.column_starts[column + 1]; i++)
        if (!isfinite(instance->entries[i])) return false;
    return true;
}

/* A column of the Jacobian by a difference; false if that is no number either. */
static bool difference(Instance *instance, const Span *span, size_t column, double width)
{
    Solver *solver = instance->solver;
    size_t i;
    memcpy(solver->after, solver->before, solver->n * sizeof(double));
    solver->after[column] += width;
    width = solver->after[column] - solver->before[column];
    derive(instance, span, span->start, solver->after, solver->right_side);
    for (i = model.by_state.column_starts[column]; i < model.by_state.column_starts[column + 1]; i++) {
        size_t row_of = model.by_state.row_of[i];
        instance->entries[i] = (solver->right_side[row_of] - solver->derivative[row_of]) / width;
    }
    return is_column_finite(instance, column);
}

/* The symbolic Jacobian. Where it is infinite or no number, as that of a square root at zero, the step would not move or
 * be refused for ever: there differences take its place, and zero where they are none either. */
static void fill_entries(Instance *instance, const Span *span)
{
    const Solver *solver = instance->solver;
    size_t column, i;
    evaluate(instance, model.by_state.program, instance->entries);
    for (column = 0; column < solver->n; column++) {
        double size = fabs(solver->before[column]), nominal = 0.01 * fabs(model.nominals[column]);
        double width = sqrt(DBL_EPSILON) * (size < nominal ? nominal : size);
        if (is_column_finite(instance, column) || difference(instance, span, column, width)
            || difference(instance, span, column, -width)) continue;
        for (i = model.by_state.column_starts[column]; i < model.by_state.column_starts[column + 1]; i++)
            if (!isfinite(instance->entries[i])) instance->entries[i] = 0.0;
    }
    memcpy(instance->point + first_state(), solver->before, solver->n * sizeof(double));
}

static double weight(const Instance *instance, size_t i, double a, double b)
{
    double size = fabs(a) < fabs(b) ? fabs(b) : fabs(a);
    return instance->tolerance * (0.01 * fabs(model.nominals[i]) + size);
}

/* The root of the mean square of `values`, measured by the weights; `worst` is the component to blame. */
static double norm(const Instance *instance, const double *values, const double *after, size_t *worst)
{
    const Solver *solver = instance->solver;
    double sum = 0.0, most = -1.0;
    size_t i;
    *worst = 0;
    for (i = 0; i < solver->n; i++) {
        double part = values[i] / weight(instance, i, solver->before[i], after[i]);
        sum += part * part;
        if (!(fabs(part) <= most)) {
            if (isnan(most)) continue;
            most = fabs(part);
            *worst = i;
        }
    }
    return solver->n ? sqrt(sum / (double)solver->n) : 0.0;
}

/* A first step size, where none is known. */
static double guess(Instance *instance, double longest)
{
    Solver *solver = instance->solver;
    size_t worst;
    double size = norm(instance, solver->before, solver->before, &worst);
    double speed = norm(instance, solver->derivative, solver->before, &worst);
    double step = 1e-5 < size && 1e-5 < speed ? 0.01 * (size / speed) : 0.0 < speed ? 1e-6 : longest;
    return step < longest ? step : longest;
}

/* One stage: its states in `after`, its solution in place. */
static void run_stage(Instance *instance, const Span *span, int stage, double step)
{
    Solver *solver = instance->solver;
    double *solution = solver->stage[stage];
    size_t i;
    int j;
    memcpy(solver->after, solver->before, solver->n * sizeof(double));
    for (j = 0; j < stage; j++)
        for (i = 0; i < solver->n; i++) solver->after[i] += A[stage][j] * solver->stage[j][i];
    if (stage == 0) memcpy(solution, solver->derivative, solver->n * sizeof(double));
    else derive(instance, span, span->start + NODE[stage] * step, solver->after, solution);
    for (j = 0; j < stage; j++)
        for (i = 0; i < solver->n; i++) solution[i] += C[stage][j] / step * solver->stage[j][i];
    for (i = 0; i < solver->n; i++) solution[i] += step * BY_TIME[stage] * solver->by_time[i];
    solve(solver, solution);
}

/* Tries a step; its error, measured by the weights. Not a number: it is no step. */
static double attempt(Instance *instance, const Span *span, double step, size_t *worst)
{
    Solver *solver = instance->solver;
    double error;
    size_t i;
    int stage, k;
    *worst = 0;
    fill_matrix(instance, step);
    if (!factor(solver)) return NAN;
    for (stage = 0; stage < STAGES; stage++) run_stage(instance, span, stage, step);
    for (i = 0; i < solver->n; i++) solver->after[i] += solver->stage[STAGES - 1][i];
    error = norm(instance, solver->stage[STAGES - 1], solver->after, worst);
    for (k = 0; k < 2; k++)
        for (i = 0; i < solver->n; i++) {
            int j;
            solver->dense[k][i] = 0.0;
            for (j = 0; j < INNER; j++) solver->dense[k][i] += D[k][j] * solver->stage[j][i];
        }
    return error;
}

/* By how much the next step is shorter. */
static double shrinking(double error)
{
    double factor = sqrt(sqrt(error)) / 0.9;
    return factor < 1.0 / 6.0 ? 1.0 / 6.0 : factor < 5.0 ? factor : 5.0;
}

/* Steps until one is good enough. */
static Status step_to(Instance *instance, double limit, double longest, Span *span)
{
    double wanted = instance->step_size;
    bool was_refused = false;
    size_t worst;
    for (;;) {
        bool is_cut = limit - span->start <= 1.000001 * wanted;
        double step = is_cut ? limit - span->start : wanted;
        double error = attempt(instance, span, step, &worst), next;
        if (error <= 1.0) {
            next = step / shrinking(error);
            if (was_refused && step < next) next = step;
            /* A step that was cut short says nothing against a longer one. */
            if (is_cut && next < wanted && !was_refused) next = wanted;
            instance->step_size = next < longest ? next : longest;
            span->end = is_cut ? limit : span->start + step;
            return OK;
        }
        wanted = isnan(error) || isinf(error) ? 0.1 * step : step / shrinking(error);
        was_refused = true;
        if (span->start + wanted / UNITS_MIN == span->start)
            return fail(instance, "the solver cannot go on at t = %.17g: a step of %g is too long because of `%s`",
                        span->start, step, model.states ? model.state_names[worst] : "");
    }
}

Status solver_step(Instance *instance, double limit, double open_end, Span *span)
{
    Solver *solver = instance->solver;
    double longest = limit - instance->time;
    double step_max = past_step_max(instance);
    Status status;
    size_t i;
    span->start = instance->time;
    span->end = limit;
    span->open_end = open_end;
    memcpy(solver->before, instance->point + first_state(), solver->n * sizeof(double));
    derive(instance, span, span->start, solver->before, solver->derivative);
    for (i = 0; i < solver->n; i++)
        if (!isfinite(solver->derivative[i]))
            return fail(instance, "the derivative of `%s` is infinite or not a number at t = %.17g",
                        model.state_names[i], span->start);
    fill_entries(instance, span);
    derive_by_time(instance, span);
    if (!(0.0 < instance->step_size)) instance->step_size = guess(instance, longest);
    if (step_max < instance->step_size) instance->step_size = step_max;
    status = step_to(instance, limit, step_max, span);
    memcpy(instance->point + first_state(), solver->before, solver->n * sizeof(double));
    return status;
}

void solver_states(const Solver *solver, const Span *span, double time, double *states)
{
    double u = (time - span->start) / (span->end - span->start), rest = 1.0 - u;
    size_t i;
    if (time == span->end) {
        memcpy(states, solver->after, solver->n * sizeof(double));
        return;
    }
    for (i = 0; i < solver->n; i++)
        states[i] = solver->before[i] * rest
            + u * (solver->after[i] + rest * (solver->dense[0][i] + u * solver->dense[1][i]));
}
