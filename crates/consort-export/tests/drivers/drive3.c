/* Drives an exported FMU through FMI 3.0, rightly and wrongly; built together with its sources and sanitizers.
 * Prints nothing if all is well; the first thing that is not as expected ends it. */
#include "driven.h"
#include "fmi3Functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int messages;

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String text)
{
    if (environment || status != fmi3Error || strcmp(category, "logStatusError") || !*text) exit(3);
    messages++;
}

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                   \
            exit(2);                                                                                                  \
        }                                                                                                             \
    } while (0)
/* Refused, with a message. */
#define REFUSED(call)                                                                                                 \
    do {                                                                                                              \
        int before = messages;                                                                                        \
        CHECK((call) == fmi3Error);                                                                                   \
        CHECK(before < messages);                                                                                     \
    } while (0)

static fmi3Instance make_cosimulation(fmi3String token, fmi3Boolean event_mode)
{
    return fmi3InstantiateCoSimulation("driven", token, "/nowhere/", false, true, event_mode, false, NULL, 0, NULL,
                                       logger, NULL);
}

static fmi3Instance make_exchange(void)
{
    return fmi3InstantiateModelExchange("driven", TOKEN, "/nowhere/", false, true, NULL, logger);
}

static void begin(fmi3Instance it)
{
    CHECK(fmi3EnterInitializationMode(it, true, 1e-6, 0.0, false, 0.0) == fmi3OK);
    CHECK(fmi3ExitInitializationMode(it) == fmi3OK);
}

static fmi3Status step(fmi3Instance it, double start, double length)
{
    fmi3Boolean event, terminate, early;
    double last;
    return fmi3DoStep(it, start, length, true, &event, &terminate, &early, &last);
}

static fmi3Status update(fmi3Instance it, double *next)
{
    fmi3Boolean again, terminate, nominals, states, defined;
    fmi3Status status = fmi3UpdateDiscreteStates(it, &again, &terminate, &nominals, &states, &defined, next);
    if (status == fmi3OK && !defined) *next = INFINITY;
    return status;
}

static void expect_same(fmi3Instance a, fmi3Instance b)
{
    double x[COUNT], y[COUNT];
    fmi3ValueReference references[COUNT];
    unsigned i;
    for (i = 0; i < COUNT; i++) references[i] = i;
    CHECK(fmi3GetFloat64(a, references, COUNT, x, COUNT) == fmi3OK);
    CHECK(fmi3GetFloat64(b, references, COUNT, y, COUNT) == fmi3OK);
    CHECK(memcmp(x, y, sizeof x) == 0);
}

static void unsupported(fmi3Instance it)
{
    fmi3ValueReference reference = 1;
    double value;
    size_t count;
    fmi3IntervalQualifier qualifier;
    REFUSED(fmi3GetFloat32(it, &reference, 1, NULL, 1));
    REFUSED(fmi3SetInt64(it, &reference, 1, NULL, 1));
    REFUSED(fmi3GetString(it, &reference, 1, NULL, 1));
    REFUSED(fmi3SetBinary(it, &reference, 1, NULL, NULL, 1));
    REFUSED(fmi3GetClock(it, &reference, 1, NULL));
    REFUSED(fmi3GetIntervalDecimal(it, &reference, 1, &value, &qualifier));
    REFUSED(fmi3SetShiftFraction(it, &reference, 1, NULL, NULL));
    REFUSED(fmi3GetNumberOfVariableDependencies(it, 1, &count));
    REFUSED(fmi3EnterConfigurationMode(it));
    REFUSED(fmi3EnterStepMode(it));
    REFUSED(fmi3ActivateModelPartition(it, 0, 0.0));
    REFUSED(fmi3GetOutputDerivatives(it, &reference, 1, NULL, &value, 1));
    CHECK(fmi3GetBoolean(it, NULL, 0, NULL, 0) == fmi3OK);
}

static void wrong_order(void)
{
    fmi3Instance it = make_cosimulation(TOKEN, false), other = make_exchange();
    fmi3ValueReference reference = 1, none = 4000000000u;
    double value = 0.0, next;
    size_t count;
    CHECK(it && other);
    REFUSED(fmi3GetFloat64(it, &reference, 1, &value, 1));
    REFUSED(step(it, 0.0, 1.0));
    REFUSED(fmi3ExitInitializationMode(it));
    REFUSED(update(it, &next));
    REFUSED(fmi3EnterInitializationMode(it, false, 0.0, INFINITY, false, 0.0));
    begin(it);
    begin(other);
    unsupported(it);
    unsupported(other);
    REFUSED(fmi3GetFloat64(it, &reference, 1, &value, 2));
    REFUSED(fmi3GetFloat64(it, &none, 1, &value, 1));
    REFUSED(fmi3SetFloat64(it, &reference, 1, &value, 1));
    REFUSED(fmi3GetNumberOfContinuousStates(it, &count));
    REFUSED(fmi3EnterEventMode(it));
    REFUSED(step(other, 0.0, 1.0));
    REFUSED(step(it, 2.0, 1.0));
    CHECK(fmi3GetNumberOfContinuousStates(other, &count) == fmi3OK && count == STATES);
    CHECK(fmi3GetNumberOfEventIndicators(other, &count) == fmi3OK && count == INDICATORS);
    CHECK(step(NULL, 0.0, 1.0) == fmi3Error);
    CHECK(fmi3Terminate(it) == fmi3OK && fmi3Reset(it) == fmi3OK && fmi3EvaluateDiscreteStates(other) == fmi3OK);
    fmi3FreeInstance(it);
    fmi3FreeInstance(other);
}

/* States saved from one interface are refused by the other; adjoint and directional derivatives belong together. */
static void exchange(void)
{
    fmi3Instance it = make_exchange(), other = make_cosimulation(TOKEN, false);
    fmi3ValueReference states[STATES + 1], derivatives[STATES + 1];
    double x[STATES + 1], dx[STATES + 1], seed[STATES + 1], forward[STATES + 1], backward[STATES + 1], sum = 0.0, next;
    fmi3FMUState state = NULL;
    fmi3Boolean a, b;
    const size_t count = STATES;
    int n, i;
    begin(it);
    begin(other);
    CHECK(update(it, &next) == fmi3OK && fmi3EnterContinuousTimeMode(it) == fmi3OK);
    for (i = 0; i < STATES; i++) {
        states[i] = (fmi3ValueReference)(FIRST_STATE + i);
        derivatives[i] = (fmi3ValueReference)(FIRST_DERIVATIVE + i);
        seed[i] = 1.0 + i;
    }
    for (n = 1; n <= 300; n++) {
        CHECK(fmi3GetContinuousStates(it, x, STATES) == fmi3OK);
        CHECK(fmi3GetContinuousStateDerivatives(it, dx, STATES) == fmi3OK);
        for (i = 0; i < STATES; i++) x[i] += 0.01 * dx[i];
        CHECK(fmi3SetTime(it, 0.01 * n) == fmi3OK && fmi3SetContinuousStates(it, x, STATES) == fmi3OK);
        CHECK(fmi3CompletedIntegratorStep(it, true, &a, &b) == fmi3OK);
        CHECK(fmi3EnterEventMode(it) == fmi3OK && update(it, &next) == fmi3OK);
        CHECK(fmi3EnterContinuousTimeMode(it) == fmi3OK);
    }
    CHECK(fmi3GetDirectionalDerivative(it, derivatives, count, states, count, seed, count, forward, count) == fmi3OK);
    CHECK(fmi3GetAdjointDerivative(it, derivatives, count, states, count, seed, count, backward, count) == fmi3OK);
    for (i = 0; i < STATES; i++) sum += seed[i] * forward[i] - seed[i] * backward[i];
    CHECK(fabs(sum) < 1e-9);
    CHECK(fmi3GetFMUState(it, &state) == fmi3OK);
    REFUSED(fmi3SetFMUState(other, state));
    CHECK(fmi3FreeFMUState(it, &state) == fmi3OK && !state);
    fmi3FreeInstance(it);
    fmi3FreeInstance(other);
}

static void save_and_restore(void)
{
    fmi3Instance a = make_cosimulation(TOKEN, false), b = make_cosimulation(TOKEN, false);
    fmi3FMUState state = NULL, copy = NULL;
    unsigned char *bytes;
    size_t size, i;
    begin(a);
    begin(b);
    for (i = 0; i < 10; i++) CHECK(step(a, 0.1 * (double)i, 0.1) == fmi3OK);
    CHECK(fmi3GetFMUState(a, &state) == fmi3OK && fmi3SerializedFMUStateSize(a, state, &size) == fmi3OK);
    bytes = malloc(size);
    CHECK(fmi3SerializeFMUState(a, state, bytes, size) == fmi3OK);
    CHECK(fmi3DeserializeFMUState(b, bytes, size, &copy) == fmi3OK && fmi3SetFMUState(b, copy) == fmi3OK);
    for (i = 10; i < 30; i++) {
        CHECK(step(a, 0.1 * (double)i, 0.1) == fmi3OK && step(b, 0.1 * (double)i, 0.1) == fmi3OK);
        expect_same(a, b);
    }
    for (i = 0; i < size; i++) REFUSED(fmi3DeserializeFMUState(b, bytes, i, &copy));
    fmi3FreeFMUState(a, &state);
    fmi3FreeFMUState(b, &copy);
    free(bytes);
    fmi3FreeInstance(a);
    fmi3FreeInstance(b);
}

int main(void)
{
    CHECK(!make_cosimulation("another", false) && !make_cosimulation(TOKEN, true));
    CHECK(!fmi3InstantiateScheduledExecution("driven", TOKEN, "", false, false, NULL, logger, NULL, NULL, NULL));
    CHECK(messages == 3 && strcmp(fmi3GetVersion(), "3.0") == 0);
    wrong_order();
    exchange();
    save_and_restore();
    return 0;
}
