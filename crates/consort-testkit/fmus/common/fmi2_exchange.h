/* The part of the FMI 2.0 interface that is for Model Exchange only, written from the standard. */
#ifndef FMI2_EXCHANGE_H
#define FMI2_EXCHANGE_H

#include "fmi2.h"

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

FMI2 fmi2EnterEventMode(fmi2Component);
FMI2 fmi2NewDiscreteStates(fmi2Component, fmi2EventInfo *);
FMI2 fmi2EnterContinuousTimeMode(fmi2Component);
FMI2 fmi2CompletedIntegratorStep(fmi2Component, fmi2Boolean no_set_state_before, fmi2Boolean *, fmi2Boolean *);
FMI2 fmi2SetTime(fmi2Component, fmi2Real);
FMI2 fmi2SetContinuousStates(fmi2Component, const fmi2Real[], size_t);
FMI2 fmi2GetDerivatives(fmi2Component, fmi2Real[], size_t);
FMI2 fmi2GetEventIndicators(fmi2Component, fmi2Real[], size_t);
FMI2 fmi2GetContinuousStates(fmi2Component, fmi2Real[], size_t);
FMI2 fmi2GetNominalsOfContinuousStates(fmi2Component, fmi2Real[], size_t);

#endif
