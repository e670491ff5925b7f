/* The part of the FMI 2.0 interface that a Co-Simulation FMU needs, written from the standard. */
#ifndef FMI2_H
#define FMI2_H

#include <stddef.h>

#if defined(_WIN32)
#define FMI2_EXPORT __declspec(dllexport)
#else
#define FMI2_EXPORT __attribute__((visibility("default")))
#endif

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category, fmi2String message,
                   ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

#define FMI2 FMI2_EXPORT fmi2Status

FMI2_EXPORT const char *fmi2GetTypesPlatform(void);
FMI2_EXPORT const char *fmi2GetVersion(void);
FMI2 fmi2SetDebugLogging(fmi2Component, fmi2Boolean on, size_t n, const fmi2String categories[]);
FMI2_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions *, fmi2Boolean visible, fmi2Boolean logging);
FMI2_EXPORT void fmi2FreeInstance(fmi2Component);
FMI2 fmi2SetupExperiment(fmi2Component, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                         fmi2Boolean stop_defined, fmi2Real stop);
FMI2 fmi2EnterInitializationMode(fmi2Component);
FMI2 fmi2ExitInitializationMode(fmi2Component);
FMI2 fmi2Terminate(fmi2Component);
FMI2 fmi2Reset(fmi2Component);
FMI2 fmi2GetReal(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
FMI2 fmi2GetInteger(fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]);
FMI2 fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]);
FMI2 fmi2GetString(fmi2Component, const fmi2ValueReference[], size_t, fmi2String[]);
FMI2 fmi2SetReal(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
FMI2 fmi2SetInteger(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[]);
FMI2 fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]);
FMI2 fmi2SetString(fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[]);
FMI2 fmi2GetFMUstate(fmi2Component, fmi2FMUstate *);
FMI2 fmi2SetFMUstate(fmi2Component, fmi2FMUstate);
FMI2 fmi2FreeFMUstate(fmi2Component, fmi2FMUstate *);
FMI2 fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, size_t *);
FMI2 fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
FMI2 fmi2DeSerializeFMUstate(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);
FMI2 fmi2GetDirectionalDerivative(fmi2Component, const fmi2ValueReference unknowns[], size_t,
                                  const fmi2ValueReference knowns[], size_t, const fmi2Real[], fmi2Real[]);
FMI2 fmi2SetRealInputDerivatives(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[],
                                 const fmi2Real[]);
FMI2 fmi2GetRealOutputDerivatives(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[], fmi2Real[]);
FMI2 fmi2DoStep(fmi2Component, fmi2Real start, fmi2Real length, fmi2Boolean no_set_state_before);
FMI2 fmi2CancelStep(fmi2Component);
FMI2 fmi2GetStatus(fmi2Component, const fmi2StatusKind, fmi2Status *);
FMI2 fmi2GetRealStatus(fmi2Component, const fmi2StatusKind, fmi2Real *);
FMI2 fmi2GetIntegerStatus(fmi2Component, const fmi2StatusKind, fmi2Integer *);
FMI2 fmi2GetBooleanStatus(fmi2Component, const fmi2StatusKind, fmi2Boolean *);
FMI2 fmi2GetStringStatus(fmi2Component, const fmi2StatusKind, fmi2String *);

#endif
