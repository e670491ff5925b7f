/* Drives an exported FMU through FMI 2.0, rightly and wrongly; built together with its sources and sanitizers.
 * Prints nothing if all is well; the first thing that is not as expected ends it. */
#include "driven.h"
#include "fmi2Functions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int messages;

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strcmp(name, "driven") || status != fmi2Error || strcmp(category, "logStatusError") || !*text) exit(3);
    if (environment) fprintf(stderr, "%s\n", text);
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
        CHECK((call) == fmi2Error);                                                                                   \
        CHECK(before < messages);                                                                                     \
    } while (0)

static const fmi2CallbackFunctions callbacks = { logger, calloc, free, NULL, NULL };

static fmi2Component make(fmi2Type type)
{
    fmi2Component it = fmi2Instantiate("driven", type, TOKEN, "file:///nowhere", &callbacks, fmi2False, fmi2True);
    CHECK(it);
    return it;
}

static void begin(fmi2Component it)
{
    CHECK(fmi2SetupExperiment(it, fmi2True, 1e-6, 0.0, fmi2False, 0.0) == fmi2OK);
    CHECK(fmi2EnterInitializationMode(it) == fmi2OK);
    CHECK(fmi2ExitInitializationMode(it) == fmi2OK);
}

static void values(fmi2Component it, double *to)
{
    fmi2ValueReference references[COUNT];
    unsigned i;
    for (i = 0; i < COUNT; i++) references[i] = i;
    CHECK(fmi2GetReal(it, references, COUNT, to) == fmi2OK);
}

static void expect_same(fmi2Component a, fmi2Component b)
{
    double x[COUNT], y[COUNT];
    values(a, x);
    values(b, y);
    CHECK(memcmp(x, y, sizeof x) == 0);
}

static void wrong_order(fmi2Type type)
{
    fmi2Component it = make(type);
    fmi2ValueReference reference = 1, none = 4000000000u;
    double value = 0.0, more[8] = { 0 };
    fmi2EventInfo info;
    fmi2FMUstate state = NULL;
    fmi2Boolean a, b;
    REFUSED(fmi2GetReal(it, &reference, 1, &value));
    REFUSED(fmi2ExitInitializationMode(it));
    REFUSED(fmi2DoStep(it, 0.0, 1.0, fmi2True));
    REFUSED(fmi2NewDiscreteStates(it, &info));
    REFUSED(fmi2SetTime(it, 1.0));
    REFUSED(fmi2Terminate(it));
    REFUSED(fmi2SetupExperiment(it, fmi2False, 0.0, NAN, fmi2False, 0.0));
    REFUSED(fmi2SetFMUstate(it, NULL));
    REFUSED(fmi2SerializeFMUstate(it, NULL, NULL, 0));
    begin(it);
    REFUSED(fmi2SetReal(it, &none, 1, &value));
    REFUSED(fmi2GetReal(it, &none, 1, &value));
    REFUSED(fmi2SetReal(it, &reference, 1, &value));
    REFUSED(fmi2GetInteger(it, &reference, 1, NULL));
    REFUSED(fmi2SetBoolean(it, &reference, 1, NULL));
    REFUSED(fmi2EnterInitializationMode(it));
    REFUSED(fmi2GetDirectionalDerivative(it, &none, 1, &reference, 1, more, more));
    REFUSED(fmi2DeSerializeFMUstate(it, "short", 5, &state));
    REFUSED(fmi2CancelStep(it));
    if (type == fmi2CoSimulation) {
        REFUSED(fmi2EnterContinuousTimeMode(it));
        REFUSED(fmi2DoStep(it, 1.0, 1.0, fmi2True));
        REFUSED(fmi2DoStep(it, 0.0, -1.0, fmi2True));
        REFUSED(fmi2DoStep(it, 0.0, NAN, fmi2True));
        REFUSED(fmi2GetDerivatives(it, more, STATES));
    } else {
        REFUSED(fmi2SetContinuousStates(it, more, STATES));
        CHECK(fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
        REFUSED(fmi2SetContinuousStates(it, more, STATES + 1));
        REFUSED(fmi2NewDiscreteStates(it, &info));
        REFUSED(fmi2SetTime(it, INFINITY));
        CHECK(fmi2CompletedIntegratorStep(it, fmi2True, &a, &b) == fmi2OK && !a && !b);
    }
    CHECK(fmi2GetReal(NULL, &reference, 1, &value) == fmi2Error);
    CHECK(fmi2Terminate(it) == fmi2OK);
    REFUSED(fmi2DoStep(it, 0.0, 1.0, fmi2True));
    CHECK(fmi2Reset(it) == fmi2OK);
    begin(it);
    fmi2FreeInstance(it);
}

/* Two instances side by side, one put back to where the other was. */
static void save_and_restore(void)
{
    fmi2Component a = make(fmi2CoSimulation), b = make(fmi2CoSimulation);
    fmi2FMUstate state = NULL, copy = NULL;
    size_t size, i;
    char *bytes;
    begin(a);
    begin(b);
    for (i = 0; i < 10; i++) CHECK(fmi2DoStep(a, 0.1 * (double)i, 0.1, fmi2True) == fmi2OK);
    CHECK(fmi2GetFMUstate(a, &state) == fmi2OK && fmi2GetFMUstate(a, &state) == fmi2OK);
    CHECK(fmi2SerializedFMUstateSize(a, state, &size) == fmi2OK);
    bytes = malloc(size);
    REFUSED(fmi2SerializeFMUstate(a, state, bytes, size - 1));
    CHECK(fmi2SerializeFMUstate(a, state, bytes, size) == fmi2OK);
    CHECK(fmi2DeSerializeFMUstate(b, bytes, size, &copy) == fmi2OK && fmi2SetFMUstate(b, copy) == fmi2OK);
    expect_same(a, b);
    for (i = 10; i < 30; i++) {
        CHECK(fmi2DoStep(a, 0.1 * (double)i, 0.1, fmi2True) == fmi2OK);
        CHECK(fmi2DoStep(b, 0.1 * (double)i, 0.1, fmi2True) == fmi2OK);
        expect_same(a, b);
    }
    /* Bytes with something wrong in them are refused or harmless. */
    for (i = 0; i < size; i++) {
        char kept = bytes[i];
        bytes[i] = (char)(kept ^ 0x55);
        if (fmi2DeSerializeFMUstate(b, bytes, size, &copy) == fmi2OK && fmi2SetFMUstate(b, copy) == fmi2OK) {
            double to[COUNT];
            fmi2ValueReference references[COUNT];
            unsigned k;
            for (k = 0; k < COUNT; k++) references[k] = k;
            fmi2GetReal(b, references, COUNT, to);
        }
        bytes[i] = kept;
    }
    for (i = 0; i < size; i++) REFUSED(fmi2DeSerializeFMUstate(b, bytes, i, &copy));
    CHECK(fmi2FreeFMUstate(a, &state) == fmi2OK && !state && fmi2FreeFMUstate(b, &copy) == fmi2OK);
    free(bytes);
    fmi2FreeInstance(a);
    fmi2FreeInstance(b);
}

/* Explicit Euler with events, as simple as an importer can be. */
static void exchange(void)
{
    fmi2Component it = make(fmi2ModelExchange);
    double x[STATES + 1], dx[STATES + 1], z[INDICATORS + 1], last[INDICATORS + 1], seed = 1.0, sensitivity[STATES + 1];
    fmi2ValueReference unknowns[STATES + 1], known = FIRST_STATE;
    fmi2EventInfo info;
    fmi2Boolean a, b;
    int n, i;
    begin(it);
    CHECK(fmi2NewDiscreteStates(it, &info) == fmi2OK && fmi2EnterContinuousTimeMode(it) == fmi2OK);
    CHECK(fmi2GetEventIndicators(it, last, INDICATORS) == fmi2OK);
    for (n = 1; n <= 300; n++) {
        int has_event;
        CHECK(fmi2GetContinuousStates(it, x, STATES) == fmi2OK && fmi2GetDerivatives(it, dx, STATES) == fmi2OK);
        for (i = 0; i < STATES; i++) x[i] += 0.01 * dx[i];
        CHECK(fmi2SetTime(it, 0.01 * n) == fmi2OK && fmi2SetContinuousStates(it, x, STATES) == fmi2OK);
        CHECK(fmi2CompletedIntegratorStep(it, fmi2True, &a, &b) == fmi2OK);
        CHECK(fmi2GetEventIndicators(it, z, INDICATORS) == fmi2OK);
        for (i = 0; i < STATES; i++) unknowns[i] = (fmi2ValueReference)(FIRST_DERIVATIVE + i);
        CHECK(fmi2GetDirectionalDerivative(it, unknowns, STATES, &known, 1, &seed, sensitivity) == fmi2OK);
        has_event = info.nextEventTimeDefined && info.nextEventTime <= 0.01 * n;
        for (i = 0; i < INDICATORS; i++) has_event |= (0.0 < z[i]) != (0.0 < last[i]);
        if (has_event)
            CHECK(fmi2EnterEventMode(it) == fmi2OK && fmi2NewDiscreteStates(it, &info) == fmi2OK
                  && fmi2EnterContinuousTimeMode(it) == fmi2OK);
        CHECK(fmi2GetEventIndicators(it, last, INDICATORS) == fmi2OK);
    }
    CHECK(fmi2Terminate(it) == fmi2OK);
    fmi2FreeInstance(it);
}

/* What is not a number ends in a message. */
static void not_a_number(void)
{
    fmi2Component it = make(fmi2CoSimulation);
    fmi2ValueReference input = FIRST_INPUT;
    double value = NAN;
    begin(it);
    CHECK(fmi2SetReal(it, &input, 1, &value) == fmi2OK);
    REFUSED(fmi2DoStep(it, 0.0, 0.1, fmi2True));
    REFUSED(fmi2DoStep(it, 0.0, 0.1, fmi2True));
    fmi2FreeInstance(it);
}

int main(void)
{
    CHECK(!fmi2Instantiate("driven", fmi2CoSimulation, "another", "", &callbacks, fmi2False, fmi2False));
    CHECK(!fmi2Instantiate(NULL, fmi2CoSimulation, TOKEN, "", &callbacks, fmi2False, fmi2False));
    CHECK(strcmp(fmi2GetVersion(), "2.0") == 0 && strcmp(fmi2GetTypesPlatform(), "default") == 0);
    wrong_order(fmi2CoSimulation);
    wrong_order(fmi2ModelExchange);
    save_and_restore();
    exchange();
    not_a_number();
    return 0;
}
