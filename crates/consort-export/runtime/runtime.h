/* What a model made of equations is at run time: written by Consort, the same for every model.
 *
 * `model.c` holds the equations as programs, pure functions of a point. `instance.c` keeps the values, `events.c` what
 * happens at once, `past.c` what `delay(...)` remembers, `breaks.c` when its kinks arrive, `saved.c` saved states,
 * `partial.c` derivatives by states and inputs. `solver.c` and `cosimulation.c` integrate, for Co-Simulation. `fmi2.c`
 * or `fmi3.c` is the interface.
 *
 * Results are those of IEEE double precision, rounded after each operation: no fast-math, no contraction. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "compile without -ffast-math: results would not be those of the model"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#ifdef __FP_FAST_FMA
#pragma GCC optimize("fp-contract=off")
#endif
#else
#pragma STDC FP_CONTRACT OFF
#endif

/* Our functions are local to this library: several FMUs may live in one process. */
#if defined(__GNUC__)
#define HIDDEN __attribute__((visibility("hidden")))
/* The parts of a long program stay apart: compilers are slow with long functions. */
#define APART __attribute__((noinline))
#else
#define HIDDEN
#define APART
#endif

/* The numbers of fmi2Status and fmi3Status. */
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;

/* What `delay(...)` remembers: entries of rising time; two of one time are before and after an event. */
typedef struct {
    size_t width;            /* values in an entry */
    size_t count, capacity;  /* entries */
    double *times;
    double *values;
    double from;             /* from when programs look back */
} Past;

/* An instant at which a jump or a kink of the past arrives, and through how many delays it has come. */
typedef struct {
    double due;
    uint64_t generation;
} Break;

/* What is less rough is smooth enough; and so many wait at most. */
enum { GENERATION_MAX = 5, BREAKS_MAX = 1000 };

HIDDEN double past_ago(const Past *past, size_t buffer, double seconds);

/* On which side of an instant time is that is the same number: what is due then has not happened yet, happens in this
 * first microstep, or has happened. */
typedef enum { BEFORE = -1, AT = 0, AFTER = 1 } Side;

/* A pure function of a point (time, parameters, inputs, states, discretes, side of time) and the past. `w` is room to work in. */
typedef void Program(const double *restrict p, const Past *past, double *restrict w, double *restrict out);

/* Partial derivatives: one result for each entry that is not always zero, in compressed columns. */
typedef struct {
    Program *program;
    size_t rows, columns, entries;
    const uint32_t *column_starts;
    const uint32_t *row_of;
} Jacobian;

/* What happens when a condition becomes true. */
typedef struct {
    const char *name;         /* empty if it has none */
    Program *condition;
    Program *delay;           /* NULL: at once */
    Program *priority;        /* NULL: after all that have one */
    Program *assignments;
    const uint32_t *targets;  /* places in the point */
    size_t target_count;
    bool persistent, initially, values_from_trigger;
} EventRow;

/* A comparison that may change continuously: it does where its indicator becomes, or no longer is, more than zero. */
typedef struct {
    bool is_equality;  /* it is one of equality: zero is a side of its own */
    bool is_instant;   /* known ahead: a time event */
} IndicatorRow;

typedef struct {
    const char *token;   /* what ties the binary to its description */
    uint64_t fingerprint;
    size_t parameters, inputs, states, discretes, outputs, locals, indicators;
    size_t events, delays, instants;
    size_t work_size;              /* room a program may need */
    size_t targets_max;            /* of an event */
    const double *start;           /* of each place in the point */
    const unsigned char *is_exact; /* of states, then discretes: may be set before a run */
    const double *nominals;        /* of the states */
    const char *const *state_names;
    const unsigned char *is_duration_fixed;   /* of the delays: parameters decide how long they are */
    double tolerance;              /* relative; the default */
    bool depends_on_time;          /* derivatives do */
    bool events_are_unordered;     /* of several of one priority any may come first */
    const EventRow *event;
    const IndicatorRow *indicator;
    Program *initial, *derivative, *output, *local, *indicate, *instant, *remembered, *durations;
    Jacobian by_state, by_input, output_by_state, output_by_input;
} Model;

extern HIDDEN const Model model;

/* Places in the point; also the numbers by which others know the variables. */
static inline size_t first_parameter(void) { return 1; }
static inline size_t first_input(void) { return 1 + model.parameters; }
static inline size_t first_state(void) { return first_input() + model.inputs; }
static inline size_t first_discrete(void) { return first_state() + model.states; }
static inline size_t point_size(void) { return first_discrete() + model.discretes; }
static inline size_t first_derivative(void) { return point_size(); }
static inline size_t first_output(void) { return first_derivative() + model.states; }
static inline size_t first_local(void) { return first_output() + model.outputs; }
static inline size_t first_indicator(void) { return first_local() + model.locals; }
static inline size_t variable_count(void) { return first_indicator() + model.indicators; }

typedef enum { EXCHANGE, COSIMULATION } Kind;

typedef enum { INSTANTIATED, INITIALIZATION, EVENT_MODE, CONTINUOUS_MODE, STEP_MODE, TERMINATED, FAILED } Phase;

/* An event that has fired and waits. */
typedef struct {
    double due;
    uint64_t sequence;
    uint32_t event;
    bool has_values;  /* those to assign were computed when it fired */
} Waiting;

typedef struct Solver Solver;

typedef struct Instance {
    /* Whose it is. */
    Kind kind;
    char *name;
    bool logging;
    void (*log)(const struct Instance *instance, Status status, const char *text);
    void *environment;
    const void *callbacks;   /* of FMI 2 */
    void (*logger)(void);    /* of FMI 3, cast back before the call */

    /* Its value: what is saved. */
    Phase phase;
    double start, time, last_event;        /* no last event yet: minus infinity */
    double next_event;                     /* known ahead; infinity: none */
    bool is_first;                         /* the first microstep of the last event is not over */
    bool is_still;                         /* no solver has moved on since the last event */
    double crowded_since;                  /* when the first of events that follow each other closely was */
    uint64_t crowd;                        /* and how many they are */
    double tolerance, step_size;           /* of Co-Simulation; no step size yet: 0 */
    bool is_disturbed;                     /* inputs were set since the last step */
    uint64_t sequence;                     /* of the next event that fires */
    uint64_t draws;                        /* how often the order of events was drawn */
    double *point;
    unsigned char *memory;                 /* of each event: whether its condition held */
    unsigned char *is_set;                 /* of each state, then discrete: whether it was set before the run */
    Waiting *queue;
    double *queue_values;                  /* `targets_max` of each */
    size_t queue_count, queue_capacity;
    Past past;
    Break *breaks;                         /* that are to come, by time */
    size_t break_count;

    /* Computed from the value, or room to work in. */
    bool is_known[4];                      /* derivatives, outputs, locals, indicators */
    double *computed[4];
    double *work, *values, *entries, *seed, *sensitivity;
    double *durations;                     /* of the delays; infinity: unknown */
    unsigned char *conditions, *sides;     /* of events now, of indicators where a step began */
    bool states_changed;                   /* by the last update */
    Solver *solver;
} Instance;

/* instance.c: life and values. */
HIDDEN Instance *instance_new(Kind kind, const char *name);
HIDDEN void instance_free(Instance *instance);
HIDDEN void instance_reset(Instance *instance);
HIDDEN Status fail(const Instance *instance, const char *format, ...);
/* True in one of the phases (bits `1 << phase`); says what was refused otherwise. */
HIDDEN bool allowed(const Instance *instance, const char *function, unsigned phases);
#define IN(phase) (1u << (phase))
#define ANY (~0u)
/* True if there is an instance, made for this interface. */
HIDDEN bool is_of(const Instance *instance, const char *function, Kind kind);
/* Refuses to follow a pointer that leads nowhere. */
HIDDEN bool is_given(const Instance *instance, const char *function, const void *pointer);
HIDDEN Status enter_initialization(Instance *instance, double start);
HIDDEN Status exit_initialization(Instance *instance);
HIDDEN Status get_values(Instance *instance, const char *function, const uint32_t *references, size_t n,
                         double *values);
HIDDEN Status set_values(Instance *instance, const char *function, const uint32_t *references, size_t n,
                         const double *values);
/* What a solver outside asks and says. */
HIDDEN Status set_time(Instance *instance, const char *function, double time);
HIDDEN Status set_states(Instance *instance, const char *function, const double *states, size_t n);
HIDDEN Status get_states(Instance *instance, const char *function, double *states, size_t n);
HIDDEN Status get_derivatives(Instance *instance, const char *function, double *derivatives, size_t n);
HIDDEN Status get_indicators(Instance *instance, const char *function, double *indicators, size_t n);
HIDDEN Status get_nominals(Instance *instance, const char *function, double *nominals, size_t n);
HIDDEN Status completed_step(Instance *instance, const char *function);
HIDDEN Status change_mode(Instance *instance, const char *function, Phase from, Phase to);

/* Evaluates a program where the instance is. */
HIDDEN void evaluate(Instance *instance, Program *program, double *out);
/* The same at another time before the next event that is known ahead, or at that time and before the event. */
HIDDEN void evaluate_at(Instance *instance, Program *program, double time, double open_end, double *out);
/* What was computed holds no longer. */
HIDDEN void forget(Instance *instance);
/* Indicators where the instance is; those of time events are 1, and none is zero. */
HIDDEN void indicate(Instance *instance, double *indicators);

/* events.c */
HIDDEN Status first_look(Instance *instance);
/* One microstep. `is_first` says afterwards whether there is another at this time. */
HIDDEN Status update(Instance *instance);
/* All that happens at this time. */
HIDDEN Status update_all(Instance *instance);
/* Whether a condition is no longer what it was. */
HIDDEN bool has_condition_changed(Instance *instance);
/* Makes room for that many waiting events; false: out of memory. */
HIDDEN bool queue_reserve(Instance *instance, size_t count);

/* past.c */
HIDDEN bool past_reserve(Past *past, size_t count);
/* One entry: what was there at the start and before it. */
HIDDEN void past_begin(Instance *instance);
/* After a step that was accepted. */
HIDDEN Status past_step(Instance *instance);
/* After an event. */
HIDDEN Status past_event(Instance *instance);
/* Finds out how long each delay is, as far as that is settled. */
HIDDEN void past_settle(Instance *instance);
/* The longest step that leaves few enough gaps in what is remembered; infinity if there are no delays. */
HIDDEN double past_step_max(const Instance *instance);

/* breaks.c: jumps and kinks that delays bring from the past. */
/* Takes out what is due; the least generation of it, or zero if there is nothing. */
HIDDEN uint64_t breaks_due(Instance *instance);
/* What happens now and has come through so many delays arrives again after each of them. */
HIDDEN void breaks_follow(Instance *instance, uint64_t generation);

/* saved.c: a saved state is one block of 64-bit words. */
typedef struct Saved Saved;
HIDDEN Status saved_get(const Instance *instance, const char *function, Saved **saved);
HIDDEN Status saved_set(Instance *instance, const char *function, const Saved *saved);
HIDDEN size_t saved_size(const Saved *saved);
HIDDEN Status saved_write(const Instance *instance, const char *function, const Saved *saved, unsigned char *bytes,
                          size_t size);
HIDDEN Status saved_read(const Instance *instance, const char *function, const unsigned char *bytes, size_t size,
                         Saved **saved);

/* partial.c: derivatives of derivatives and outputs by states and inputs, in a direction or against one. */
HIDDEN Status directional(Instance *instance, const char *function, const uint32_t *unknowns, size_t n_unknowns,
                          const uint32_t *knowns, size_t n_knowns, const double *seed, double *sensitivity);
HIDDEN Status adjoint(Instance *instance, const char *function, const uint32_t *unknowns, size_t n_unknowns,
                      const uint32_t *knowns, size_t n_knowns, const double *seed, double *sensitivity);

/* solver.c: a Rosenbrock method. */
typedef struct {
    double start, end;
    double open_end;   /* time is taken as just before it: the event there has not happened yet */
} Span;
HIDDEN Solver *solver_new(void);
HIDDEN void solver_free(Solver *solver);
/* One step from where the instance is to `limit` at most; `span` is answered. The instance stays where it was. */
HIDDEN Status solver_step(Instance *instance, double limit, double open_end, Span *span);
/* States inside of the last step. */
HIDDEN void solver_states(const Solver *solver, const Span *span, double time, double *states);

/* cosimulation.c */
HIDDEN Status advance(Instance *instance, const char *function, double start, double length);

/* Operations as the model's language has them. */
static inline double truth(bool condition) { return condition ? 1.0 : 0.0; }
static inline double op_select(double a, double b, double c) { return a == 0.0 ? c : b; }
static inline double op_min(double a, double b) { return b < a ? b : a; }
static inline double op_max(double a, double b) { return a < b ? b : a; }
static inline double op_sign(double a) { return 0.0 < a ? 1.0 : a < 0.0 ? -1.0 : a; }
static inline double op_factorial(double a)
{
    double product = 1.0, factor;
    if (!(0.0 <= a && a <= 170.0 && floor(a) == a)) return tgamma(a + 1.0);
    for (factor = 2.0; factor <= a; factor += 1.0) product *= factor;
    return product;
}

#endif
