/* What both interfaces share: a small model, and its lies. */
#ifndef LIAR_H
#define LIAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef STATELESS
enum { STATES = 0 };
#else
enum { STATES = 1 };
#endif
#ifdef SMOOTH
enum { INDICATORS = 0 };
#else
enum { INDICATORS = 1 };
#endif

/* The numbers of fmi2Status and fmi3Status. */
enum { OK, WARNING, DISCARD, ERROR, FATAL };

/* Value references. */
enum { TIME, U, K, X, Y, N, B, S, BLOB, DER_X, Z };

/* Where a lie is performed; the numbers are also those of `consort_testkit::liar`. */
typedef enum {
    INSTANTIATE, SETUP, ENTER_INITIALIZATION, EXIT_INITIALIZATION, SET, GET_REAL, GET_INTEGER, GET_BOOLEAN, GET_STRING,
    GET_BINARY, STEP, TERMINATE, FREE, GET_STATE, SET_STATE, FREE_STATE, STATE_SIZE, SERIALIZE, DESERIALIZE, ENTER_EVENT,
    UPDATE, LEAVE_EVENT, SET_TIME, SET_STATES, GET_STATES, DERIVATIVES, GET_INDICATORS, NOMINALS, COMPLETED,
    DEBUG_LOGGING, STEP_STATUS, COUNTS, FUNCTIONS
} Function;

/* What it is about; likewise. */
typedef enum {
    STATUS_AFTER, STATUS_INSTEAD, NUMBERS, POINTER, SIZE, MOMENT, FLAG, RESET, LOG, SLEEP, HANG, DIE, WORLD, ALLOCATE,
    ZERO, KINDS
} Kind;

typedef struct { unsigned kind, function, call, forever, argument; bool performed; } Lie;

enum { LIES_MAX = 3 };

typedef struct {
    double time, u, k, x, der_x, z;
    int32_t n;
    bool b, in_event_mode;
} Values;

/* The importer's callbacks, whatever the version. */
typedef struct {
    void *environment;
    void (*log)(void *environment, const char *name, int status, const char *category, const char *message);
    void (*raw)(void);       /* the importer's own function */
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
} Callbacks;

typedef struct {
    Values values;
    Lie lies[LIES_MAX];
    size_t lie_count;
    unsigned calls[FUNCTIONS];
    Callbacks callbacks;
    char *name;
    bool exchange, event_mode;
    double reached;          /* by the last step */
    char text[64];
    uint8_t blob;
} Liar;

Liar *liar_new(const char *name, const Callbacks *callbacks);
void liar_free(Liar *liar);

/* Counts the call and does what is due beside it. */
void begin(Liar *liar, Function function);
/* What is returned where no lie is due. */
enum { NOT_DUE = -1000 };
/* The status to return at once, or NOT_DUE: do the work. */
int instead(Liar *liar, Function function);
/* The status to return after the work. */
int after(Liar *liar, Function function, int status);
/* The lie of this kind that is due in this call, or NULL. */
Lie *due(Liar *liar, Function function, Kind kind);

void lie_about_numbers(Liar *liar, Function function, double *numbers, size_t count);
/* Another time than the true one, if that is due. */
double lie_about_time(Liar *liar, Function function, double truth);
bool lie_about_flag(Liar *liar, Function function, unsigned flag, bool truth);
const char *lie_about_text(Liar *liar, Function function, const char *truth);
size_t lie_about_size(Liar *liar, Function function, size_t truth);
/* A call with a count of zero; a status, or NOT_DUE. */
int zero_count(Liar *liar, Function function, size_t count);

/* Which flags are lied about. */
enum { AGAIN, END, EVENT, EARLY, STATES_CHANGED, NOMINALS_CHANGED };

/* Does what has nothing to do with the model: see `misdeeds.c`. */
void misbehave(Liar *liar, const Lie *lie);

/* The model. */
void reset(Values *values);
void refresh(Values *values);
void advance(Values *values, double to);
void handle_events(Values *values);
double next_event(const Values *values);
double *number(Values *values, uint32_t reference);
const char *text_of(Liar *liar);

#endif
