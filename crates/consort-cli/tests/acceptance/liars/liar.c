/* An FMU that does what real ones do and should not: `FAULT` says what, `FMI` is 2 or 3. One source for both versions
 * and both interfaces; its own minimal declarations.
 *
 *     der(x) = k,   x(start) = 0,   y = k + n / 1000 + b / 4 + length(s) / 10000,   count: one more each second */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HONEST, RESETS_IN_SETUP, RESETS_AT_ENTER, RESETS_AT_EXIT, REFUSES_READS, NEEDS_PARAMETERS, REFUSES_AFTER_SETUP, CLAMPS,
    REFUSES_AGAIN, DIES_OF_NOTHING = 10, REFUSES_NOTHING, HAS_MORE_STATES, CLAIMS_TOO_MUCH, LOGS_TO_ONE = 20, LOGS_TO_NULL,
    LOGS_TO_ITSELF, LOGS_TO_STALE, LOGS_NULLS, LOGS_FORMATS, LOGS_FROM_THREAD, LOGS_AFTER_FREE, LOGS_AT_BIRTH, LOGS_BAD_TEXTS,
    LOGS_HUGE
};
enum { K = 1, N, B, S, U, Y, X, DER_X, COUNT };
enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { BEFORE, SET_UP, STARTING, RUNNING };

#ifdef STATELESS
enum { STATES = 0 };
#else
enum { STATES = 1 };
#endif

#if FMI == 2
typedef int Bool;
typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;
#define SAY(who, environment, ...) (who)->callbacks->logger(environment, (who)->name, WARNING, "odd", __VA_ARGS__)
#define NAME(name) fmi2##name
#else
typedef bool Bool;
typedef void (*Logger)(void *, int, const char *, const char *);
#define SAY(who, environment, ...) (who)->logger(environment, WARNING, "odd", __VA_ARGS__)
#define NAME(name) fmi3##name
#endif

typedef struct {
    double time, k, x, u;
    int32_t n, count;
    bool b, spoiled, is_given, said;
    char s[64];
    int phase;
    char name[64];
    void *environment;
#if FMI == 2
    const Callbacks *callbacks;
#else
    Logger logger;
#endif
} Liar;

static void *stale; /* the environment of the first instance of this process */

static void forget(Liar *it) {
    it->k = 1, it->n = 3, it->b = false;
    strcpy(it->s, "start");
}

static void nothing(size_t count) {
    if (count == 0 && FAULT == DIES_OF_NOTHING) abort();
}
/* Every call that comes with a count. */
#define COUNTED(it, count) do { nothing(count); if ((count) == 0 && FAULT == REFUSES_NOTHING) return ERROR; if ((it)->spoiled) return ERROR; } while (0)

static void *say_later(void *argument) {
    Liar *it = argument;
    void *environment = it->environment;
    SAY(it, FAULT == LOGS_FROM_THREAD ? (void *)1 : environment, "from a thread");
    return NULL;
}

/* The instance is a copy that is never freed: only what the importer gave it is stale. */
static void *say_after_free(void *argument) {
    for (int turn = 0; turn < 200; turn++) {
        usleep(1000);
        SAY((Liar *)argument, ((Liar *)argument)->environment, "after it was freed");
    }
    return NULL;
}

static void say(Liar *it) {
    if (it->said) return;
    it->said = true;
    pthread_t thread;
    switch (FAULT) {
    case LOGS_TO_ONE: SAY(it, (void *)1, "to one"); break;
    case LOGS_TO_NULL: SAY(it, NULL, "to null"); break;
    case LOGS_TO_ITSELF: SAY(it, it, "to itself"); break;
    case LOGS_TO_STALE: SAY(it, stale, "to a stale one"); break;
    case LOGS_FROM_THREAD:
        if (pthread_create(&thread, NULL, say_later, it) == 0) pthread_join(thread, NULL);
        break;
    case LOGS_HUGE: {
        char *huge = malloc(3000001);
        memset(huge, 'x', 3000000), huge[3000000] = 0;
        SAY(it, it->environment, huge);
        free(huge);
        break;
    }
#if FMI == 2
    case LOGS_NULLS:
        it->callbacks->logger(it->environment, NULL, WARNING, NULL, NULL);
        it->callbacks->logger(NULL, NULL, WARNING, "odd", "nameless");
        break;
    case LOGS_BAD_TEXTS:
        it->callbacks->logger(it->environment, (char *)1, WARNING, (char *)3, (char *)2);
        SAY(it, it->environment, "bad: %s, %s, %.3s", (char *)16, (char *)NULL, "texture");
        break;
    case LOGS_FORMATS: {
        static int written = 7;
        SAY(it, it->environment, "100% done, 50% sure: 5 % 2, %");
        SAY(it, it->environment, "%d|%5.2f|%-4s|%s|%c|%lu|%x|%%|%zu|%hhd|%*d", -3, 2.5, "ab", "cd", 'z', 12345678901ul, 255u,
            (size_t)9, 300, 4, 42);
        SAY(it, it->environment, "n%nn", &written);
        SAY(it, it->environment, "it is %d still", written);
        SAY(it, it->environment, "no such: %s %s %s %s %s %s %s %s %s");
        break;
    }
#else
    case LOGS_NULLS: it->logger(it->environment, WARNING, NULL, NULL); it->logger(NULL, WARNING, "odd", "nameless"); break;
    case LOGS_BAD_TEXTS: it->logger(it->environment, WARNING, (char *)3, (char *)2); break;
    case LOGS_FORMATS: SAY(it, it->environment, "100% done, %s %n"); break;
#endif
    default: break;
    }
}

static Liar *make(const char *name, void *environment) {
    Liar *it = calloc(1, sizeof *it);
    forget(it);
    strncpy(it->name, name, sizeof it->name - 1);
    it->environment = environment;
    return it;
}

static void born(Liar *it) {
    if (stale == NULL) stale = it->environment;
    if (FAULT == LOGS_AT_BIRTH) SAY(it, (void *)1, "at birth");
}

void NAME(FreeInstance)(Liar *it) {
    pthread_t thread;
    if (FAULT == LOGS_AFTER_FREE) {
        Liar *copy = malloc(sizeof *copy);
        memcpy(copy, it, sizeof *copy);
        if (pthread_create(&thread, NULL, say_after_free, copy) == 0) pthread_detach(thread);
    }
    free(it);
}

static int enter(Liar *it) {
    it->phase = STARTING;
    if (FAULT == RESETS_AT_ENTER || FAULT == REFUSES_AGAIN) forget(it);
    return OK;
}

int NAME(ExitInitializationMode)(Liar *it) {
    it->phase = RUNNING;
    if (FAULT == RESETS_AT_EXIT || FAULT == LOGS_TO_STALE) forget(it);
    if (FAULT == CLAMPS && 2 < it->k) it->k = 2;
    return OK;
}

int NAME(Terminate)(Liar *it) { (void)it; return OK; }
int NAME(Reset)(Liar *it) { forget(it); return OK; }

static double real(Liar *it, unsigned reference) {
    switch (reference) {
    case 0: return it->time;
    case K: case DER_X: return it->k;
    case U: return it->u;
    case X: return it->x;
    default: return it->k + it->n / 1000.0 + it->b / 4.0 + strlen(it->s) / 10000.0;
    }
}

/* Whether a value may be set now; notes that it is. */
static int before_set(Liar *it, unsigned reference) {
    if (reference == U) return OK;
    if (FAULT == REFUSES_AFTER_SETUP && it->phase != BEFORE) return ERROR;
    if (FAULT == REFUSES_AGAIN && it->phase == STARTING) return ERROR;
    it->is_given = true;
    return OK;
}

/* A read that is refused spoils the instance. */
static int before_get(Liar *it, unsigned reference) {
    it->spoiled |= FAULT == REFUSES_READS && reference <= S;
    return it->spoiled ? ERROR : OK;
}

#if FMI == 2
#define ACCESS(NAME, TYPE, READ, WRITE)                                                                               \
    int fmi2Get##NAME(Liar *it, const unsigned *references, size_t n, TYPE *values) {                                 \
        COUNTED(it, n);                                                                                               \
        for (size_t i = 0; i < n; i++) { unsigned r = references[i]; if (before_get(it, r)) return ERROR; values[i] = (TYPE)(READ); } \
        return OK;                                                                                                    \
    }                                                                                                                 \
    int fmi2Set##NAME(Liar *it, const unsigned *references, size_t n, const TYPE *values) {                           \
        COUNTED(it, n);                                                                                               \
        for (size_t i = 0; i < n; i++) { unsigned r = references[i]; if (before_set(it, r)) return ERROR; TYPE value = values[i]; WRITE; } \
        return OK;                                                                                                    \
    }
ACCESS(Integer, int32_t, r == N ? it->n : it->count, it->n = value)
#else
#define ACCESS(NAME, TYPE, READ, WRITE)                                                                               \
    int fmi3Get##NAME(Liar *it, const unsigned *references, size_t n, TYPE *values, size_t count) {                   \
        COUNTED(it, count);                                                                                           \
        for (size_t i = 0; i < n; i++) { unsigned r = references[i]; if (before_get(it, r)) return ERROR; values[i] = (TYPE)(READ); } \
        return OK;                                                                                                    \
    }                                                                                                                 \
    int fmi3Set##NAME(Liar *it, const unsigned *references, size_t n, const TYPE *values, size_t count) {             \
        COUNTED(it, count);                                                                                           \
        for (size_t i = 0; i < n; i++) { unsigned r = references[i]; if (before_set(it, r)) return ERROR; TYPE value = values[i]; WRITE; } \
        return OK;                                                                                                    \
    }
ACCESS(Int32, int32_t, r == N ? it->n : it->count, it->n = value)
#endif
#if FMI == 2
ACCESS(Real, double, real(it, r), if (r == K) it->k = value; else if (r == U) it->u = value; else if (r == X) it->x = value)
#else
ACCESS(Float64, double, real(it, r), if (r == K) it->k = value; else if (r == U) it->u = value; else if (r == X) it->x = value)
#endif
ACCESS(Boolean, Bool, it->b, it->b = value != 0)
ACCESS(String, const char *, it->s, strncpy(it->s, value, sizeof it->s - 1))

/* Model Exchange. */
int NAME(EnterEventMode)(Liar *it) { (void)it; return OK; }
int NAME(EnterContinuousTimeMode)(Liar *it) { (void)it; return OK; }
int NAME(SetTime)(Liar *it, double time) { it->time = time; return OK; }
int NAME(SetContinuousStates)(Liar *it, const double *x, size_t n) { COUNTED(it, n); it->x = x[0]; return OK; }
int NAME(GetContinuousStates)(Liar *it, double *x, size_t n) { COUNTED(it, n); x[0] = it->x; return OK; }
int NAME(GetNominalsOfContinuousStates)(Liar *it, double *x, size_t n) { COUNTED(it, n); x[0] = 1; return OK; }
/* One indicator, if there is any: it changes its sign at half a second. */
int NAME(GetEventIndicators)(Liar *it, double *z, size_t n) { COUNTED(it, n); z[0] = it->time - 0.5; return OK; }
static int derivatives(Liar *it, double *x, size_t n) { COUNTED(it, n); x[0] = it->k; return OK; }

/* An event at each whole second, and one at half a second that only an indicator finds. */
static double next_event(Liar *it) {
    it->count = (int32_t)floor(it->time + 1e-9) + (0.5 <= it->time ? 100 : 0);
    return floor(it->time + 1e-9) + 1;
}

#if FMI == 2
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const Callbacks *callbacks, int visible, int logging) {
    (void)type, (void)guid, (void)resources, (void)visible, (void)logging;
    Liar *it = make(name, callbacks->environment);
    it->callbacks = callbacks;
    born(it);
    return it;
}
const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
int fmi2SetDebugLogging(Liar *it, int on, size_t count, const char *const *names) { (void)it, (void)on, (void)count, (void)names; return OK; }
static int set_up(Liar *it) {
    it->phase = SET_UP;
    if (FAULT == RESETS_IN_SETUP) forget(it);
    return FAULT == NEEDS_PARAMETERS && !it->is_given ? ERROR : OK;
}

int fmi2SetupExperiment(Liar *it, int has_tolerance, double tolerance, double start, int has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    it->time = start;
    return set_up(it);
}
int fmi2EnterInitializationMode(Liar *it) { return enter(it); }
int fmi2GetDerivatives(Liar *it, double *x, size_t n) { return derivatives(it, x, n); }
int fmi2GetDirectionalDerivative(Liar *it, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m, const double *seed, double *result) {
    (void)unknowns, (void)knowns, (void)seed;
    COUNTED(it, n);
    COUNTED(it, m);
    result[0] = 0;
    return OK;
}
int fmi2DoStep(Liar *it, double time, double step, int never_back) {
    (void)never_back;
    say(it);
    it->time = time + step, it->x += it->k * step;
    return it->spoiled ? ERROR : OK;
}
typedef struct { int again, terminate, nominals, values, next_defined; double next; } Event;
int fmi2NewDiscreteStates(Liar *it, Event *event) {
    say(it);
    memset(event, 0, sizeof *event);
    event->next = next_event(it), event->next_defined = 1;
    return it->spoiled ? ERROR : OK;
}
int fmi2CompletedIntegratorStep(Liar *it, int never_back, int *event, int *terminate) {
    (void)it, (void)never_back;
    *event = *terminate = 0;
    return OK;
}
#else
static void *birth(const char *name, void *environment, Logger logger) {
    Liar *it = make(name, environment);
    it->logger = logger;
    born(it);
    return it;
}
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early,
                                  const unsigned *needed, size_t count, void *environment, Logger logger, void *update) {
    (void)token, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)needed, (void)count, (void)update;
    return birth(name, environment, logger);
}
void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, Logger logger) {
    (void)token, (void)resources, (void)visible, (void)logging;
    return birth(name, environment, logger);
}
const char *fmi3GetVersion(void) { return "3.0"; }
int fmi3SetDebugLogging(Liar *it, bool on, size_t count, const char *const *names) { (void)it, (void)on, (void)count, (void)names; return OK; }
int fmi3EnterInitializationMode(Liar *it, bool has_tolerance, double tolerance, double start, bool has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    it->time = start;
    return enter(it);
}
int fmi3GetContinuousStateDerivatives(Liar *it, double *x, size_t n) { return derivatives(it, x, n); }
int fmi3GetNumberOfContinuousStates(Liar *it, size_t *count) {
    (void)it;
    *count = FAULT == CLAIMS_TOO_MUCH ? (size_t)-1 : FAULT == HAS_MORE_STATES ? 1 : STATES;
    return FAULT == REFUSES_NOTHING ? ERROR : OK;
}
int fmi3GetNumberOfEventIndicators(Liar *it, size_t *count) { (void)it; *count = INDICATORS; return OK; }
int fmi3GetDirectionalDerivative(Liar *it, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m, const double *seed, size_t p,
                                 double *result, size_t q) {
    (void)unknowns, (void)knowns, (void)seed, (void)p, (void)q;
    COUNTED(it, n);
    COUNTED(it, m);
    result[0] = 0;
    return OK;
}
int fmi3DoStep(Liar *it, double time, double step, bool never_back, bool *event, bool *terminate, bool *early, double *reached) {
    (void)never_back;
    say(it);
    it->time = time + step, it->x += it->k * step;
    *event = *terminate = *early = false;
    *reached = it->time;
    return it->spoiled ? ERROR : OK;
}
int fmi3UpdateDiscreteStates(Liar *it, bool *again, bool *terminate, bool *nominals, bool *values, bool *next_defined, double *next) {
    say(it);
    *again = *terminate = *nominals = *values = false;
    *next = next_event(it), *next_defined = true;
    return it->spoiled ? ERROR : OK;
}
int fmi3CompletedIntegratorStep(Liar *it, bool never_back, bool *event, bool *terminate) {
    (void)it, (void)never_back;
    *event = *terminate = false;
    return OK;
}
int fmi3EnterStepMode(Liar *it) { (void)it; return OK; }
#endif
