/* `KIND save FILE` runs to one second, writes the state, and goes on; `KIND load FILE` goes on from there.
 * Both print all values at two seconds. */
#include "driven.h"
#include "fmi2Functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                   \
            exit(2);                                                                                                  \
        }                                                                                                             \
    } while (0)

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String format, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)format;
}

/* Explicit Euler; every step is followed by an update. */
static void euler(fmi2Component it, int n)
{
    double x[STATES + 1], dx[STATES + 1];
    fmi2EventInfo info;
    fmi2Boolean a, b;
    int i;
    CHECK(fmi2GetContinuousStates(it, x, STATES) == fmi2OK && fmi2GetDerivatives(it, dx, STATES) == fmi2OK);
    for (i = 0; i < STATES; i++) x[i] += 0.01 * dx[i];
    CHECK(fmi2SetTime(it, 0.01 * n) == fmi2OK && fmi2SetContinuousStates(it, x, STATES) == fmi2OK);
    CHECK(fmi2CompletedIntegratorStep(it, fmi2True, &a, &b) == fmi2OK && fmi2EnterEventMode(it) == fmi2OK);
    CHECK(fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
}

static void go_on(fmi2Component it, int is_exchange, int from, int to)
{
    int n;
    for (n = from; n < to; n++) {
        if (is_exchange) euler(it, n + 1);
        else CHECK(fmi2DoStep(it, 0.01 * n, 0.01, fmi2True) == fmi2OK);
    }
}

static void save(fmi2Component it, const char *path)
{
    fmi2FMUstate state = NULL;
    FILE *file = fopen(path, "wb");
    size_t size;
    char *bytes;
    CHECK(file && fmi2GetFMUstate(it, &state) == fmi2OK && fmi2SerializedFMUstateSize(it, state, &size) == fmi2OK);
    bytes = malloc(size);
    CHECK(bytes && fmi2SerializeFMUstate(it, state, bytes, size) == fmi2OK);
    CHECK(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
    fmi2FreeFMUstate(it, &state);
}

static void load(fmi2Component it, const char *path)
{
    static char bytes[1 << 20];
    fmi2FMUstate state = NULL;
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    CHECK(0 < size && fclose(file) == 0);
    CHECK(fmi2DeSerializeFMUstate(it, bytes, size, &state) == fmi2OK && fmi2SetFMUstate(it, state) == fmi2OK);
    fmi2FreeFMUstate(it, &state);
}

int main(int count, char **arguments)
{
    static const fmi2CallbackFunctions callbacks = { logger, calloc, free, NULL, NULL };
    int is_exchange, i;
    fmi2Component it;
    fmi2EventInfo info;
    CHECK(count == 4);
    is_exchange = strcmp(arguments[1], "exchange") == 0;
    it = fmi2Instantiate("it", is_exchange ? fmi2ModelExchange : fmi2CoSimulation, TOKEN, "", &callbacks, 0, 0);
    CHECK(it);
    if (strcmp(arguments[2], "save") == 0) {
        CHECK(fmi2EnterInitializationMode(it) == fmi2OK && fmi2ExitInitializationMode(it) == fmi2OK);
        if (is_exchange)
            CHECK(fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
        go_on(it, is_exchange, 0, 100);
        save(it, arguments[3]);
    } else {
        load(it, arguments[3]);
    }
    go_on(it, is_exchange, 100, 200);
    for (i = 0; i < COUNT; i++) {
        fmi2ValueReference reference = (fmi2ValueReference)i;
        double value;
        CHECK(fmi2GetReal(it, &reference, 1, &value) == fmi2OK);
        printf("%a\n", value);
    }
    fmi2FreeInstance(it);
    return 0;
}
