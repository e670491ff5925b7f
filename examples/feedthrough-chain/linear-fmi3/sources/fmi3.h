/* The part of the FMI 3.0 interface that a Co-Simulation FMU needs, written from the standard. */
#ifndef FMI3_H
#define FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FMI3_EXPORT __declspec(dllexport)
#else
#define FMI3_EXPORT __attribute__((visibility("default")))
#endif

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early, fmi3Boolean *early_return_requested,
                                               fmi3Float64 *early_return_time);

#define FMI3 FMI3_EXPORT fmi3Status
#define FMI3_REFERENCES const fmi3ValueReference references[], size_t n

FMI3_EXPORT const char *fmi3GetVersion(void);
FMI3 fmi3SetDebugLogging(fmi3Instance, fmi3Boolean on, size_t n, const fmi3String categories[]);
FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                                      fmi3InstanceEnvironment, fmi3LogMessageCallback);
FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference intermediate[], size_t n_intermediate,
    fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                                           fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                                           fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                                           fmi3LockPreemptionCallback);
FMI3_EXPORT void fmi3FreeInstance(fmi3Instance);
FMI3 fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance, fmi3Float64 start,
                                 fmi3Boolean stop_defined, fmi3Float64 stop);
FMI3 fmi3ExitInitializationMode(fmi3Instance);
FMI3 fmi3EnterEventMode(fmi3Instance);
FMI3 fmi3Terminate(fmi3Instance);
FMI3 fmi3Reset(fmi3Instance);

#define FMI3_ACCESS(NAME)                                                                                             \
    FMI3 fmi3Get##NAME(fmi3Instance, FMI3_REFERENCES, fmi3##NAME values[], size_t count);                             \
    FMI3 fmi3Set##NAME(fmi3Instance, FMI3_REFERENCES, const fmi3##NAME values[], size_t count);
FMI3_ACCESS(Float32)
FMI3_ACCESS(Float64)
FMI3_ACCESS(Int8)
FMI3_ACCESS(UInt8)
FMI3_ACCESS(Int16)
FMI3_ACCESS(UInt16)
FMI3_ACCESS(Int32)
FMI3_ACCESS(UInt32)
FMI3_ACCESS(Int64)
FMI3_ACCESS(UInt64)
FMI3_ACCESS(Boolean)
FMI3_ACCESS(String)
FMI3 fmi3GetBinary(fmi3Instance, FMI3_REFERENCES, size_t sizes[], fmi3Binary values[], size_t count);
FMI3 fmi3SetBinary(fmi3Instance, FMI3_REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t count);
FMI3 fmi3GetClock(fmi3Instance, FMI3_REFERENCES, fmi3Clock values[]);
FMI3 fmi3SetClock(fmi3Instance, FMI3_REFERENCES, const fmi3Clock values[]);

FMI3 fmi3GetNumberOfVariableDependencies(fmi3Instance, fmi3ValueReference, size_t *count);
FMI3 fmi3GetVariableDependencies(fmi3Instance, fmi3ValueReference dependent, size_t dependent_elements[],
                                 fmi3ValueReference independents[], size_t independent_elements[],
                                 fmi3DependencyKind kinds[], size_t count);
FMI3 fmi3GetFMUState(fmi3Instance, fmi3FMUState *);
FMI3 fmi3SetFMUState(fmi3Instance, fmi3FMUState);
FMI3 fmi3FreeFMUState(fmi3Instance, fmi3FMUState *);
FMI3 fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState, size_t *);
FMI3 fmi3SerializeFMUState(fmi3Instance, fmi3FMUState, fmi3Byte[], size_t);
FMI3 fmi3DeserializeFMUState(fmi3Instance, const fmi3Byte[], size_t, fmi3FMUState *);
FMI3 fmi3GetDirectionalDerivative(fmi3Instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                  const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                  size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity);
FMI3 fmi3GetAdjointDerivative(fmi3Instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                              const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                              size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity);
FMI3 fmi3EnterConfigurationMode(fmi3Instance);
FMI3 fmi3ExitConfigurationMode(fmi3Instance);
FMI3 fmi3GetIntervalDecimal(fmi3Instance, FMI3_REFERENCES, fmi3Float64 intervals[], fmi3IntervalQualifier[]);
FMI3 fmi3GetIntervalFraction(fmi3Instance, FMI3_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                             fmi3IntervalQualifier[]);
FMI3 fmi3GetShiftDecimal(fmi3Instance, FMI3_REFERENCES, fmi3Float64 shifts[]);
FMI3 fmi3GetShiftFraction(fmi3Instance, FMI3_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
FMI3 fmi3SetIntervalDecimal(fmi3Instance, FMI3_REFERENCES, const fmi3Float64 intervals[]);
FMI3 fmi3SetIntervalFraction(fmi3Instance, FMI3_REFERENCES, const fmi3UInt64 counters[],
                             const fmi3UInt64 resolutions[]);
FMI3 fmi3SetShiftDecimal(fmi3Instance, FMI3_REFERENCES, const fmi3Float64 shifts[]);
FMI3 fmi3SetShiftFraction(fmi3Instance, FMI3_REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
FMI3 fmi3EvaluateDiscreteStates(fmi3Instance);
FMI3 fmi3UpdateDiscreteStates(fmi3Instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                              fmi3Boolean *states_changed, fmi3Boolean *next_defined, fmi3Float64 *next);
FMI3 fmi3EnterStepMode(fmi3Instance);
FMI3 fmi3GetOutputDerivatives(fmi3Instance, FMI3_REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[],
                              size_t count);
FMI3 fmi3DoStep(fmi3Instance, fmi3Float64 start, fmi3Float64 length, fmi3Boolean no_set_state_before,
                fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last_time);

/* Model Exchange and Scheduled Execution: declared because importers look for every name. */
FMI3 fmi3EnterContinuousTimeMode(fmi3Instance);
FMI3 fmi3CompletedIntegratorStep(fmi3Instance, fmi3Boolean no_set_state_before, fmi3Boolean *event,
                                 fmi3Boolean *terminate);
FMI3 fmi3SetTime(fmi3Instance, fmi3Float64 time);
FMI3 fmi3SetContinuousStates(fmi3Instance, const fmi3Float64 states[], size_t count);
FMI3 fmi3GetContinuousStateDerivatives(fmi3Instance, fmi3Float64 derivatives[], size_t count);
FMI3 fmi3GetEventIndicators(fmi3Instance, fmi3Float64 indicators[], size_t count);
FMI3 fmi3GetContinuousStates(fmi3Instance, fmi3Float64 states[], size_t count);
FMI3 fmi3GetNominalsOfContinuousStates(fmi3Instance, fmi3Float64 nominals[], size_t count);
FMI3 fmi3GetNumberOfEventIndicators(fmi3Instance, size_t *count);
FMI3 fmi3GetNumberOfContinuousStates(fmi3Instance, size_t *count);
FMI3 fmi3ActivateModelPartition(fmi3Instance, fmi3ValueReference clock, fmi3Float64 time);

#endif
