/* The yardstick: the loop an engineer would write by hand over N instances of one FMU in a chain.
 * In every step each instance is given its input, steps, and its output is read: the same FMI calls
 * in the same order as Consort makes them. Usage: c_loop BINARY TOKEN N STEPS
 * Prints the nanoseconds per instance and step, and the last output, so that nothing is optimized away. */
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

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    size_t n = strtoul(argv[3], NULL, 10), steps = strtoul(argv[4], NULL, 10);

    Instance (*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int) = symbol(library, "fmi2Instantiate");
    int (*setup)(Instance, int, double, double, int, double) = symbol(library, "fmi2SetupExperiment");
    int (*enter)(Instance) = symbol(library, "fmi2EnterInitializationMode");
    int (*leave)(Instance) = symbol(library, "fmi2ExitInitializationMode");
    int (*set)(Instance, const uint32_t *, size_t, const double *) = symbol(library, "fmi2SetReal");
    int (*get)(Instance, const uint32_t *, size_t, double *) = symbol(library, "fmi2GetReal");
    int (*step)(Instance, double, double, int) = symbol(library, "fmi2DoStep");

    Callbacks callbacks = {quiet, calloc, free, NULL, NULL};
    Instance *instances = calloc(n, sizeof *instances);
    double *inputs = calloc(n + 1, sizeof *inputs), *outputs = calloc(n, sizeof *outputs);
    const uint32_t input = 1, output = 3;
    for (size_t i = 0; i < n; i++) {
        instances[i] = instantiate("instance", 1, argv[2], "file:///", &callbacks, 0, 0);
        if (!instances[i]) return fprintf(stderr, "no instance\n"), 1;
        check(setup(instances[i], 0, 0.0, 0.0, 1, (double)steps), "setup");
        check(enter(instances[i]), "enter");
        check(leave(instances[i]), "exit");
    }
    double begin = now();
    for (size_t k = 0; k < steps; k++) {
        double t = (double)k * 0.001;
        for (size_t i = 0; i < n; i++) {
            if (i > 0) check(set(instances[i], &input, 1, &inputs[i]), "set");
            check(step(instances[i], t, 0.001, 1), "step");
            check(get(instances[i], &output, 1, &outputs[i]), "get");
        }
        memcpy(inputs + 1, outputs, n * sizeof *inputs);
    }
    printf("%.3f %g\n", (now() - begin) / (double)(n * steps), outputs[n - 1]);
    return 0;
}
