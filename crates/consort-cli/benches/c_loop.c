/* The yardstick: the loop an engineer would write by hand over N instances of one FMU in a chain.
 * In every step each instance is given its inputs, steps, and its outputs are read: the same FMI calls
 * in the same order as Consort makes them. Usage: c_loop BINARY TOKEN N STEPS WHAT ORDER
 * WHAT is `double` (the model `gain`), `all` (every output of the model `mixed`), or `connected` (of these, what is connected).
 * ORDER is `jacobi` (all are given values of the step before) or `gauss-seidel` (each is given what the one before it has
 * just computed). Prints the nanoseconds per instance and step, and the last output, so that nothing is optimized away. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *Instance;
typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} Callbacks;

static void quiet(void *e, const char *n, int s, const char *c, const char *m, ...)
{
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

static void check(int status, const char *call)
{
    if (status != 0) {
        fprintf(stderr, "%s returned %d\n", call, status);
        exit(1);
    }
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "no %s\n", name), exit(1);
    return found;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What is called in every step. */
static int (*set_real)(Instance, const uint32_t *, size_t, const double *);
static int (*set_integer)(Instance, const uint32_t *, size_t, const int *);
static int (*get_real)(Instance, const uint32_t *, size_t, double *);
static int (*get_integer)(Instance, const uint32_t *, size_t, int *);
static int (*get_boolean)(Instance, const uint32_t *, size_t, int *);
static int (*get_string)(Instance, const uint32_t *, size_t, const char **);
static int (*step)(Instance, double, double, int);

/* Values of one instance: what it is given, and what is read. */
typedef struct { double u, reals[2]; int before, count, above, mode; const char *message; } Place;

static size_t n, steps;
static Instance *instances;
static Place *places;

static void run_double(bool at_once)
{
    static const uint32_t input = 1, output = 3;
    for (size_t k = 0; k < steps; k++) {
        double t = (double)k * 0.001;
        for (size_t i = 0; i < n; i++) {
            if (i > 0 && at_once) places[i].u = places[i - 1].reals[0];
            if (i > 0) check(set_real(instances[i], &input, 1, &places[i].u), "set");
            check(step(instances[i], t, 0.001, 1), "step");
            check(get_real(instances[i], &output, 1, places[i].reals), "get");
        }
        for (size_t i = 1; i < n && !at_once; i++) places[i].u = places[i - 1].reals[0];
    }
}

static void couple(size_t i)
{
    places[i].u = places[i - 1].reals[0];
    places[i].before = places[i - 1].count;
}

static void run_mixed(bool all, bool at_once)
{
    static const uint32_t u = 1, before = 2, reals[] = { 3, 4 }, count = 5, above = 6, message = 7, mode = 8;
    for (size_t k = 0; k < steps; k++) {
        double t = (double)k * 0.001;
        for (size_t i = 0; i < n; i++) {
            Instance instance = instances[i];
            Place *place = &places[i];
            if (i > 0 && at_once) couple(i);
            if (i > 0) check(set_real(instance, &u, 1, &place->u), "set");
            if (i > 0) check(set_integer(instance, &before, 1, &place->before), "set");
            check(step(instance, t, 0.001, 1), "step");
            check(get_real(instance, reals, all ? 2 : 1, place->reals), "get");
            check(get_integer(instance, &count, 1, &place->count), "get");
            if (!all) continue;
            check(get_boolean(instance, &above, 1, &place->above), "get");
            check(get_string(instance, &message, 1, &place->message), "get");
            check(get_integer(instance, &mode, 1, &place->mode), "get");
        }
        for (size_t i = 1; i < n && !at_once; i++) couple(i);
    }
}

int main(int argc, char **argv)
{
    if (argc != 7) return 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    n = strtoul(argv[3], NULL, 10), steps = strtoul(argv[4], NULL, 10);
    const char *what = argv[5];
    bool at_once = strcmp(argv[6], "gauss-seidel") == 0;

    Instance (*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int) = symbol(library, "fmi2Instantiate");
    int (*setup)(Instance, int, double, double, int, double) = symbol(library, "fmi2SetupExperiment");
    int (*enter)(Instance) = symbol(library, "fmi2EnterInitializationMode");
    int (*leave)(Instance) = symbol(library, "fmi2ExitInitializationMode");
    set_real = symbol(library, "fmi2SetReal"), set_integer = symbol(library, "fmi2SetInteger");
    get_real = symbol(library, "fmi2GetReal"), get_integer = symbol(library, "fmi2GetInteger");
    get_boolean = symbol(library, "fmi2GetBoolean"), get_string = symbol(library, "fmi2GetString");
    step = symbol(library, "fmi2DoStep");

    Callbacks callbacks = {quiet, calloc, free, NULL, NULL};
    instances = calloc(n, sizeof *instances), places = calloc(n, sizeof *places);
    for (size_t i = 0; i < n; i++) {
        instances[i] = instantiate("instance", 1, argv[2], "file:///", &callbacks, 0, 0);
        if (!instances[i]) return fprintf(stderr, "no instance\n"), 1;
        check(setup(instances[i], 0, 0.0, 0.0, 1, (double)steps), "setup");
        check(enter(instances[i]), "enter");
        check(leave(instances[i]), "exit");
    }
    double begin = now();
    if (strcmp(what, "double") == 0) run_double(at_once);
    else run_mixed(strcmp(what, "all") == 0, at_once);
    printf("%.3f %g\n", (now() - begin) / (double)(n * steps), places[n - 1].reals[0]);
    return 0;
}
