/* What a model in C offers, so that `consort_fmi2.c` or `consort_fmi3.c` makes an FMU of it.
 *
 * A model is one struct of values without pointers, whose first member is `double time`, a table that says where each
 * variable is in it, a few functions, and `const Model model`, which names them. Values are read and written by the
 * table, and the state is saved by copying the struct. docs/c-models.md has an example. */
#ifndef CONSORT_MODEL_H
#define CONSORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRING_MAX = 1024, BINARY_MAX = 1024 };

/* The numbers of fmi2Status and fmi3Status. */
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;

typedef enum {
    FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64,
    BOOLEAN, ENUMERATION, STRING, BINARY, CLOCK
} Type;

typedef enum { INDEPENDENT, STRUCTURAL, FIXED, TUNABLE, INPUT, OUTPUT, LOCAL } Kind;

typedef struct { char text[STRING_MAX]; } String;
typedef struct { size_t size; uint8_t bytes[BINARY_MAX]; } Binary;

/* One row per variable; its index is the value reference in modelDescription.xml. In the struct an ENUMERATION is an
 * int64_t, BOOLEAN and CLOCK are bool. */
typedef struct {
    Kind kind;
    Type type;
    size_t offset;
    size_t count;
} Variable;

/* Rows of a struct named `Values`. */
#define SCALAR(kind, type, field) { kind, type, offsetof(Values, field), 1 }
#define ARRAY(kind, type, field, count) { kind, type, offsetof(Values, field), count }

/* What a function is given besides the values. `log` writes a message to the importer's log. */
typedef struct Context {
    const char *name;        /* the instance's name */
    const char *resources;   /* path of the resources folder with a separator at its end; may be empty */
    bool event_mode;         /* the importer handles events */
    bool early_return;       /* a step may end early */
    const void *owner;       /* not for models */
    void (*log)(const struct Context *context, Status status, const char *format, ...);
} Context;

/* One communication step: the first two are given, the others are answered. A step that ends early sets `reached`, and
 * `early` if `early_return` allows it; otherwise it returns DISCARD. */
typedef struct {
    double start, length;
    double reached;          /* preset to start + length */
    bool event, terminate, early;
} Step;

/* What an update of discrete states answers. */
typedef struct {
    bool again, terminate, next_defined;
    double next;
    bool states_changed, nominals_changed;   /* for Model Exchange */
} Event;

/* What a solver needs of a model that offers Model Exchange; `outputs` of such a model also computes derivatives and
 * indicators. Every function may be NULL. */
typedef struct {
    size_t state_count, indicator_count;
    size_t states, derivatives, indicators;                  /* offsets of the first of each; the others follow it */
    size_t (*count)(const void *values);                     /* of states, where a structural parameter decides it */
    void (*nominals)(const void *values, double *nominals);  /* NULL: 1 each */
    bool (*completed)(void *values);                         /* after an accepted step; true: a step event */
} Exchange;

/* Calls that a model may answer itself with a status: for models that test importers. */
typedef enum {
    CALL_NONE, CALL_SETUP, CALL_ENTER_INITIALIZATION, CALL_EXIT_INITIALIZATION, CALL_SET, CALL_GET, CALL_STEP,
    CALL_TERMINATE, CALL_RESET, CALL_GET_STATE, CALL_SET_STATE, CALL_UPDATE, CALL_INSTANTIATE,
    CALL_STATE_WAS_SET, CALL_GET_INPUT
} Call;

/* The model. Every function may be NULL but `start`, and `step` for Co-Simulation. `values` is the struct. */
typedef struct {
    const char *identifier;  /* `modelIdentifier` */
    const char *token;       /* `guid` of FMI 2, `instantiationToken` of FMI 3 */
    size_t size;             /* of the struct of values */
    const Variable *variables;
    uint32_t variable_count;
    void (*start)(void *values);                                     /* start values; time included */
    void (*configure)(void *values);                                 /* after structural parameters changed */
    size_t (*count)(const void *values, uint32_t reference);         /* elements of a variable that is resized */
    Status (*initialize)(const Context *context, void *values);      /* states and outputs from parameters, inputs */
    void (*outputs)(void *values);                                   /* outputs from states and inputs */
    Status (*step)(const Context *context, void *values, Step *step);
    Status (*update)(const Context *context, void *values, Event *event);
    /* Adds (d unknown / d known) * seed to the sensitivity; false if it cannot. */
    bool (*directional)(const void *values, uint32_t unknown, uint32_t known, const double *seed, double *sensitivity);
    double (*interval)(const void *values, uint32_t clock);          /* of a periodic clock, in seconds */
    int (*call)(const Context *context, void *values, Call call);    /* a status to return at once; 0: go on */
    size_t (*padding)(const void *values);                           /* bytes after a serialized state */
    const Exchange *exchange;
} Model;

/* Sets the table: `const Model model = { ROWS(variables), ... }`. */
#define ROWS(table) .variables = table, .variable_count = sizeof table / sizeof *table

extern const Model model;

#endif
