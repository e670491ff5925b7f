/* What the FMI 2 and the FMI 3 glue share: life cycle, typed access to values, saved states. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include "model.h"
#include <stdarg.h>

typedef enum { INSTANTIATED, CONFIGURATION, INITIALIZATION, EVENT_MODE, STEP_MODE, TERMINATED, FAILED,
               CONTINUOUS_MODE, RECONFIGURATION } Phase;

typedef struct {
    Context context;
    char *name, *resources;
    Phase phase;
    bool dirty;          /* outputs are out of date in a mode that refreshes them at once */
    bool log_all;
    bool exchange;       /* made for Model Exchange */
    void *values;
    double last_time;    /* reached by the last step */
    bool terminate;      /* asked for by the last step */
    void *environment;
    const void *callbacks;   /* of FMI 2 */
    void (*logger)(void);    /* of FMI 3, cast back before the call */
} Instance;

Instance *instance_new(const char *name, const char *resources, size_t resources_length);
void instance_free(Instance *instance);
Status instance_reset(Instance *instance);

/* Logs an error and returns ERROR. */
Status fail(const Instance *instance, const char *format, ...);

/* True if the instance is in one of the phases (bits `1 << phase`); logs the refused call otherwise. */
bool allowed(Instance *instance, const char *function, unsigned phases);
#define IN(phase) (1u << (phase))

/* The model's own wish to spoil this call; 0 if it has none. */
int spoiled(Instance *instance, Call call);
int spoiled_access(Instance *instance, Call call, uint32_t reference);

/* The variable, or NULL after logging why not. `type` must match; INT64 also fits an ENUMERATION. */
const Variable *readable(Instance *instance, const char *function, uint32_t reference, Type type);
const Variable *writable(Instance *instance, const char *function, uint32_t reference, Type type);
size_t element_count(const Instance *instance, uint32_t reference);
void *place(const Instance *instance, const Variable *variable);
size_t element_size(Type type);

/* Copies all elements of the variables; `count` elements must fit exactly. Not for strings, binaries, clocks. */
Status get_plain(Instance *, const char *function, Type, const uint32_t *references, size_t, void *, size_t count);
Status set_plain(Instance *, const char *function, Type, const uint32_t *references, size_t, const void *, size_t);
Status get_strings(Instance *, const char *function, const uint32_t *references, size_t, const char **, size_t count);
Status set_strings(Instance *, const char *function, const uint32_t *references, size_t, const char *const *, size_t);

/* Brings outputs up to date where the mode demands it. */
Status refresh(Instance *instance);
/* One step, with time kept; `step` is answered. */
Status advance(Instance *instance, Step *step);

/* Model Exchange: all of these refuse the call where it is not allowed. */
typedef enum { STATES, DERIVATIVES, INDICATORS, NOMINALS } Vector;
size_t vector_count(const Instance *instance, Vector vector);
Status get_vector(Instance *instance, const char *function, Vector vector, double *values, size_t count);
Status set_states(Instance *instance, const char *function, const double *values, size_t count);
Status set_time(Instance *instance, const char *function, double time);
Status completed_step(Instance *instance, const char *function, bool *event);
Status change_mode(Instance *instance, const char *function, Phase from, Phase to);

/* Saved states: phase and values, no pointers, so the bytes are also the serialized form. */
size_t state_size(void);
void *state_get(const Instance *instance);
void state_set(Instance *instance, const void *state);
size_t serialized_size(const void *state);
void serialize(const void *state, void *bytes);
bool state_fits(const void *bytes, size_t size);

#endif
