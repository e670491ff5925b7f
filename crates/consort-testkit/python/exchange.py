"""Integrates a Model Exchange FMU by FMPy's raw calls and explicit Euler steps of one length, and prints every number exactly.

usage: exchange.py FMU REQUEST.json

A request: {"start": {NAME: VALUE}, "step": H, "steps": N}. Prints a list with one row after initialization and one after each
step: {"event": BOOL, "next": VALUE or null, "x": [...], "dx": [...], "z": [...], "nominals": [...]}, floats as in `values.py`. An
event is handled after a step over which an indicator has changed its sign, at which a time event was due, or that the FMU says is
one; if the FMU then asks for the end the list ends there.
"""

import ctypes
import json
import sys

from fmpy import read_model_description
from fmpy.fmi2 import FMU2Model, fmi2ValueReference
from fmpy.fmi3 import FMU3Model, fmi3ValueReference

import values

C_TYPES = {"Real": ctypes.c_double, "Float64": ctypes.c_double, "Integer": ctypes.c_int, "Boolean": ctypes.c_int}


class Integration:
    def __init__(self, folder):
        self.description = read_model_description(folder, validate=False)
        self.is_two = self.description.fmiVersion == "2.0"
        exchange = self.description.modelExchange
        kind = FMU2Model if self.is_two else FMU3Model
        self.fmu = kind(guid=self.description.guid, unzipDirectory=folder, modelIdentifier=exchange.modelIdentifier, instanceName="oracle")
        self.fmu.instantiate(loggingOn=False)
        self.needs_completed = not exchange.completedIntegratorStepNotNeeded if self.is_two else exchange.needsCompletedIntegratorStep
        self.next = None

    def initialize(self, start):
        if self.is_two:
            self.fmu.setupExperiment(startTime=0.0)
            self.set_all(start)
            self.fmu.enterInitializationMode()
        else:
            self.set_all(start)
            self.fmu.enterInitializationMode(startTime=0.0)
        self.fmu.exitInitializationMode()
        self.nx = self.description.numberOfContinuousStates if self.is_two else self.fmu.getNumberOfContinuousStates()
        self.nz = self.description.numberOfEventIndicators if self.is_two else self.fmu.getNumberOfEventIndicators()

    def set_all(self, pairs):
        named = {v.name: v for v in self.description.modelVariables}
        for name, value in pairs.items():
            variable = named[name]
            boolean = ctypes.c_int if self.is_two else ctypes.c_bool
            kind = boolean if variable.type == "Boolean" else C_TYPES[variable.type]
            given = (kind * 1)(values.read(variable.type, value))
            if self.is_two:
                getattr(self.fmu, f"fmi2Set{variable.type}")(self.fmu.component, (fmi2ValueReference * 1)(variable.valueReference), 1, given)
            else:
                getattr(self.fmu, f"fmi3Set{variable.type}")(self.fmu.component, (fmi3ValueReference * 1)(variable.valueReference), 1, given, 1)

    def iterate(self):
        update = self.fmu.newDiscreteStates if self.is_two else self.fmu.updateDiscreteStates
        while True:
            again, terminate, _, _, defined, following = update()
            self.next = following if defined else None
            if terminate:
                return False
            if not again:
                self.fmu.enterContinuousTimeMode()
                return True

    def advance(self, time, step):
        """One Euler step that ends at `time`, and the event there: whether there was one, and whether the FMU goes on."""
        before = self.indicators()
        x = [value + step * slope for value, slope in zip(self.states(), self.derivatives())]
        self.fmu.setTime(time)
        self.fmu.setContinuousStates((ctypes.c_double * self.nx)(*x), self.nx)
        crossed = any((a > 0) != (b > 0) for a, b in zip(before, self.indicators()))
        asked = bool(self.fmu.completedIntegratorStep()[0]) if self.needs_completed else False
        event = crossed or asked or (self.next is not None and self.next <= time)
        if not event:
            return False, True
        self.fmu.enterEventMode()
        return True, self.iterate()

    def vector(self, name, count):
        buffer = (ctypes.c_double * count)()
        getattr(self.fmu, name)(buffer, count)
        return list(buffer)

    def states(self):
        return self.vector("getContinuousStates", self.nx)

    def derivatives(self):
        return self.vector("getDerivatives" if self.is_two else "getContinuousStateDerivatives", self.nx)

    def indicators(self):
        return self.vector("getEventIndicators", self.nz)

    def row(self, event):
        vectors = {"x": self.states(), "dx": self.derivatives(), "z": self.indicators()}
        vectors["nominals"] = self.vector("getNominalsOfContinuousStates", self.nx)
        shown = {name: [values.show("Float64", value) for value in vector] for name, vector in vectors.items()}
        return {"event": event, "next": None if self.next is None else values.show("Float64", self.next), **shown}


def main(folder, request):
    it = Integration(folder)
    it.initialize(request.get("start", {}))
    rows = []
    goes_on = it.iterate()
    rows.append(it.row(True))
    step = values.float_of(request["step"])
    for index in range(1, request["steps"] + 1):
        if not goes_on:
            break
        event, goes_on = it.advance(index * step, step)
        rows.append(it.row(event))
    it.fmu.terminate()
    it.fmu.freeInstance()
    return rows


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        print(json.dumps(main(sys.argv[1], json.load(file))))
