/* Co-Simulation: from communication point to communication point, with the events between them. */
#include "runtime.h"

/* A step is looked at in so many places for events that undo each other. */
enum { LOOKS = 4 };
/* More steps between two communication points, beside those to time events, get nowhere. */
static const unsigned long STEPS_MAX = 1000000;
/* So far a communication point may be from where the instance is. */
static const double POINT_SLACK = 1e-9;

/* On which side of its comparison an indicator is. */
static unsigned char side_of(size_t i, double value)
{
    if (model.indicator[i].is_instant) return 0;
    return 0.0 < value ? 2 : model.indicator[i].is_equality && value == 0.0 ? 1 : 0;
}

static void keep_sides(Instance *instance)
{
    size_t i;
    evaluate(instance, model.indicate, instance->values);
    for (i = 0; i < model.indicators; i++) instance->sides[i] = side_of(i, instance->values[i]);
}

/* Whether an indicator is on another side at a time inside of the step. */
static bool has_crossed(Instance *instance, const Span *span, double time)
{
    size_t i;
    solver_states(instance->solver, span, time, instance->point + first_state());
    evaluate_at(instance, model.indicate, time, span->open_end, instance->values);
    for (i = 0; i < model.indicators; i++)
        if (side_of(i, instance->values[i]) != instance->sides[i]) return true;
    return false;
}

/* The first time inside of the step at which an indicator is seen on another side; by bisection to the last place. */
static bool locate(Instance *instance, const Span *span, double *found)
{
    double low = span->start, high = low;
    int look;
    if (!model.indicators) return false;
    for (look = 1; look <= LOOKS; look++) {
        low = high;
        high = look == LOOKS ? span->end : span->start + (span->end - span->start) * look / LOOKS;
        if (low < high && has_crossed(instance, span, high)) break;
    }
    if (LOOKS < look) return false;
    for (;;) {
        double middle = low + 0.5 * (high - low);
        if (!(low < middle && middle < high)) break;
        if (has_crossed(instance, span, middle)) high = middle;
        else low = middle;
    }
    *found = high;
    return true;
}

/* Refuses what no step may end in, whether a solver or an event made it. */
static Status check_states(const Instance *instance)
{
    size_t i;
    for (i = 0; i < model.states; i++) {
        double value = instance->point[first_state() + i];
        if (!isfinite(value))
            return fail(instance, "the step is rejected: `%s` is %s at t = %.17g; keep what its equation and events compute "
                        "where their functions have values", model.state_names[i],
                        isnan(value) ? "not a number" : "infinite", instance->time);
    }
    return OK;
}

/* One step of the solver, and the events at its end. */
static Status step(Instance *instance, double target)
{
    double limit = instance->next_event < target ? instance->next_event : target;
    Span span;
    bool is_found;
    keep_sides(instance);
    if (solver_step(instance, limit, instance->next_event, &span) != OK) return ERROR;
    is_found = locate(instance, &span, &limit);
    if (!is_found) limit = span.end;
    solver_states(instance->solver, &span, limit, instance->point + first_state());
    instance->time = limit;
    instance->is_still = false;
    forget(instance);
    if (past_step(instance) != OK) return ERROR;
    if ((is_found || !(limit < instance->next_event)) && update_all(instance) != OK) return ERROR;
    return check_states(instance);
}

static Status integrate(Instance *instance, double target)
{
    unsigned long steps = 0;
    Status status = OK;
    while (status == OK && instance->time < target) {
        double due = instance->next_event;
        status = step(instance, target);
        if (instance->time < due) steps++;
        if (status == OK && STEPS_MAX < steps)
            status = fail(instance, "a million steps do not reach the communication point at t = %.17g but t = %.17g; "
                          "an `if` may switch back and forth: give it a hysteresis; if the model is that fast, take "
                          "shorter communication steps", target, instance->time);
    }
    return status;
}

Status advance(Instance *instance, const char *function, double start, double length)
{
    double target = start + length;
    Status status = OK;
    if (!allowed(instance, function, IN(STEP_MODE))) return ERROR;
    if (!isfinite(target) || length < 0.0) return fail(instance, "%s: no step of length %g", function, length);
    if (POINT_SLACK * (1.0 + fabs(start)) < fabs(start - instance->time))
        return fail(instance, "%s: a step from %.17g where the instance is at %.17g", function, start, instance->time);
    if (instance->is_disturbed && has_condition_changed(instance)) status = update_all(instance);
    instance->is_disturbed = false;
    if (status == OK) status = check_states(instance);
    if (status == OK) status = integrate(instance, target);
    if (status != OK) instance->phase = FAILED;
    forget(instance);
    return status;
}
