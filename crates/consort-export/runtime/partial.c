/* Derivatives of derivatives and outputs by states and inputs: products with the Jacobians. */
#include "runtime.h"

#include <string.h>

/* `seed` and `sensitivity` of an instance hold states, then inputs, then outputs; derivatives stand where states do. */
static size_t input_place(void) { return model.states; }
static size_t output_place(void) { return model.states + model.inputs; }
static size_t place_count(void) { return model.states + model.inputs + model.outputs; }

/* Adds the matrix times the columns' seed to the rows' sensitivity. */
static void add_product(Instance *instance, const Jacobian *jacobian, size_t columns_at, size_t rows_at)
{
    size_t column, i;
    evaluate(instance, jacobian->program, instance->entries);
    for (column = 0; column < jacobian->columns; column++) {
        double seed = instance->seed[columns_at + column];
        for (i = jacobian->column_starts[column]; i < jacobian->column_starts[column + 1]; i++)
            instance->sensitivity[rows_at + jacobian->row_of[i]] += instance->entries[i] * seed;
    }
}

/* Adds the rows' seed times the matrix to the columns' sensitivity. */
static void add_transposed(Instance *instance, const Jacobian *jacobian, size_t columns_at, size_t rows_at)
{
    size_t column, i;
    evaluate(instance, jacobian->program, instance->entries);
    for (column = 0; column < jacobian->columns; column++)
        for (i = jacobian->column_starts[column]; i < jacobian->column_starts[column + 1]; i++)
            instance->sensitivity[columns_at + column]
                += instance->entries[i] * instance->seed[rows_at + jacobian->row_of[i]];
}

static bool is_between(size_t reference, size_t first, size_t count)
{
    return first <= reference && reference - first < count;
}

/* Where an unknown's seed or sensitivity is; `is_direct` if it is a state or discrete itself. False: it has none. */
static bool unknown_place(size_t reference, size_t *place, bool *is_direct)
{
    *is_direct = is_between(reference, first_state(), model.states + model.discretes);
    *place = 0;
    if (*is_direct) return true;
    if (is_between(reference, first_derivative(), model.states)) *place = reference - first_derivative();
    else if (is_between(reference, first_output(), model.outputs)) *place = output_place() + reference - first_output();
    else return false;
    return true;
}

static bool known_place(size_t reference, size_t *place)
{
    if (is_between(reference, first_state(), model.states)) *place = reference - first_state();
    else if (is_between(reference, first_input(), model.inputs)) *place = input_place() + reference - first_input();
    else return false;
    return true;
}

/* Refuses what is not an unknown or not a known. */
static Status check(Instance *instance, const char *function, const uint32_t *unknowns, size_t n_unknowns,
                    const uint32_t *knowns, size_t n_knowns)
{
    unsigned phases = IN(INITIALIZATION) | IN(EVENT_MODE) | IN(CONTINUOUS_MODE) | IN(STEP_MODE) | IN(TERMINATED);
    size_t i, place;
    bool is_direct;
    if (!allowed(instance, function, phases)) return ERROR;
    for (i = 0; i < n_unknowns; i++)
        if (!unknown_place(unknowns[i], &place, &is_direct))
            return fail(instance, "%s: variable %u is neither a derivative nor an output", function,
                        (unsigned)unknowns[i]);
    for (i = 0; i < n_knowns; i++)
        if (!known_place(knowns[i], &place))
            return fail(instance, "%s: variable %u is neither a state nor an input", function, (unsigned)knowns[i]);
    memset(instance->seed, 0, place_count() * sizeof(double));
    memset(instance->sensitivity, 0, place_count() * sizeof(double));
    /* First values are up to date once something was asked. */
    return get_values(instance, function, NULL, 0, NULL);
}

/* Whether one of the variables has a number from `first` on. */
static bool has_any(const uint32_t *references, size_t n, size_t first, size_t count)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (is_between(references[i], first, count)) return true;
    return false;
}

typedef void Product(Instance *instance, const Jacobian *jacobian, size_t columns_at, size_t rows_at);

/* Those products that matter, in a fixed order. */
static void multiply(Instance *instance, Product *product, const uint32_t *unknowns, size_t n_unknowns,
                     const uint32_t *knowns, size_t n_knowns)
{
    bool has_derivatives = has_any(unknowns, n_unknowns, first_derivative(), model.states);
    bool has_outputs = has_any(unknowns, n_unknowns, first_output(), model.outputs);
    bool has_states = has_any(knowns, n_knowns, first_state(), model.states);
    bool has_inputs = has_any(knowns, n_knowns, first_input(), model.inputs);
    if (has_derivatives && has_states) product(instance, &model.by_state, 0, 0);
    if (has_derivatives && has_inputs) product(instance, &model.by_input, input_place(), 0);
    if (has_outputs && has_states) product(instance, &model.output_by_state, 0, output_place());
    if (has_outputs && has_inputs) product(instance, &model.output_by_input, input_place(), output_place());
}

Status directional(Instance *instance, const char *function, const uint32_t *unknowns, size_t n_unknowns,
                   const uint32_t *knowns, size_t n_knowns, const double *seed, double *sensitivity)
{
    size_t i, j, place;
    bool is_direct;
    if (check(instance, function, unknowns, n_unknowns, knowns, n_knowns) != OK) return ERROR;
    for (j = 0; j < n_knowns; j++)
        if (known_place(knowns[j], &place)) instance->seed[place] = seed[j];
    multiply(instance, add_product, unknowns, n_unknowns, knowns, n_knowns);
    for (i = 0; i < n_unknowns; i++) {
        unknown_place(unknowns[i], &place, &is_direct);
        sensitivity[i] = is_direct ? 0.0 : instance->sensitivity[place];
        for (j = 0; is_direct && j < n_knowns; j++)
            if (knowns[j] == unknowns[i]) sensitivity[i] += seed[j];
    }
    return OK;
}

Status adjoint(Instance *instance, const char *function, const uint32_t *unknowns, size_t n_unknowns,
               const uint32_t *knowns, size_t n_knowns, const double *seed, double *sensitivity)
{
    size_t i, j, place;
    bool is_direct;
    if (check(instance, function, unknowns, n_unknowns, knowns, n_knowns) != OK) return ERROR;
    for (i = 0; i < n_unknowns; i++) {
        unknown_place(unknowns[i], &place, &is_direct);
        if (!is_direct) instance->seed[place] += seed[i];
    }
    multiply(instance, add_transposed, unknowns, n_unknowns, knowns, n_knowns);
    for (j = 0; j < n_knowns; j++) {
        sensitivity[j] = known_place(knowns[j], &place) ? instance->sensitivity[place] : 0.0;
        for (i = 0; i < n_unknowns; i++)
            if (knowns[j] == unknowns[i]) sensitivity[j] += seed[i];
    }
    return OK;
}
