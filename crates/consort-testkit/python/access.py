"""FMI 2 and FMI 3 instances of FMPy behind one small interface, by its raw functions so that no value is converted on the way."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint8, cast

import fmpy.fmi2
import fmpy.fmi3
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import values

C_TYPES = {
    "Float64": ctypes.c_double, "Float32": ctypes.c_float, "Int8": ctypes.c_int8, "UInt8": ctypes.c_uint8,
    "Int16": ctypes.c_int16, "UInt16": ctypes.c_uint16, "Int32": ctypes.c_int32, "UInt32": ctypes.c_uint32,
    "Int64": ctypes.c_int64, "UInt64": ctypes.c_uint64, "Boolean": ctypes.c_bool, "Enumeration": ctypes.c_int64,
    "String": c_char_p, "Clock": ctypes.c_bool,
}


class Two:
    """An FMI 2.0 instance."""

    C = {"Real": ctypes.c_double, "Integer": ctypes.c_int, "Boolean": ctypes.c_int, "Enumeration": ctypes.c_int, "String": c_char_p}

    def __init__(self, description, folder, request):
        self.fmu = FMU2Slave(
            guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName=request.get("name", "oracle")
        )
        self.fmu.instantiate(loggingOn=False)

    def initialize(self, start, stop, tolerance, set_start):
        self.fmu.setupExperiment(startTime=start, stopTime=stop, tolerance=tolerance)
        set_start()
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, variable):
        buffer = self.C[variable.type]()
        self._function("Get", variable)(self.fmu.component, self._reference(variable), 1, byref(buffer))
        return values.show(variable.type, buffer.value)

    def set(self, variable, value):
        buffer = self.C[variable.type](values.read(variable.type, value))
        self._function("Set", variable)(self.fmu.component, self._reference(variable), 1, byref(buffer))

    def step(self, time, step):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=step)
        return dict(event=False, terminate=False, early=False, reached=values.show("Float64", time + step))

    def event(self, clocks):
        raise ValueError("FMI 2.0 has no event mode")

    def save(self):
        state = self.fmu.getFMUstate()
        return state, self.fmu.serializeFMUstate(state)

    def restore_bytes(self, data):
        state = self.fmu.deSerializeFMUstate(data)
        self.fmu.setFMUstate(state)
        self.fmu.freeFMUstate(state)

    def _function(self, verb, variable):
        return getattr(self.fmu, f"fmi2{verb}" + {"Enumeration": "Integer"}.get(variable.type, variable.type))

    def _reference(self, variable):
        return (fmpy.fmi2.fmi2ValueReference * 1)(variable.valueReference)


class Three:
    """An FMI 3.0 instance."""

    def __init__(self, description, folder, request):
        self.event_mode = request.get("event_mode", False)
        self.variables = {v.valueReference: v for v in description.modelVariables}
        self.sizes = {}
        self.fmu = FMU3Slave(
            guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName=request.get("name", "oracle")
        )
        self.fmu.instantiate(
            loggingOn=False, eventModeUsed=self.event_mode, earlyReturnAllowed=request.get("early_return", False)
        )
        for v in description.modelVariables:
            if v.causality == "structuralParameter":
                self.sizes[v.valueReference] = int(v.start)

    def configure(self, pairs):
        self.fmu.enterConfigurationMode()
        for variable, value in pairs:
            self.set(variable, value)
            self.sizes[variable.valueReference] = value
        self.fmu.exitConfigurationMode()

    def initialize(self, start, stop, tolerance, set_start):
        set_start()
        self.fmu.enterInitializationMode(tolerance=tolerance, startTime=start, stopTime=stop)
        self.fmu.exitInitializationMode()
        if self.event_mode:
            self._update()
            self.fmu.enterStepMode()

    def get(self, variable):
        count = self._count(variable)
        if variable.type == "Binary":
            sizes, data = (c_size_t * count)(), (POINTER(c_uint8) * count)()
            self.fmu.fmi3GetBinary(self.fmu.component, self._reference(variable), 1, sizes, cast(data, POINTER(fmpy.fmi3.fmi3Binary)), count)
            found = [bytes(data[i][: sizes[i]]) for i in range(count)]
        else:
            buffer = (C_TYPES[variable.type] * count)()
            self._function("Get", variable)(self.fmu.component, self._reference(variable), 1, buffer, count)
            found = list(buffer)
        shown = [values.show(variable.type, value) for value in found]
        return shown if variable.dimensions else shown[0]

    def set(self, variable, value):
        given = value if isinstance(value, list) else [value]
        raw = [values.read(variable.type, item) for item in given]
        if variable.type == "Binary":
            sizes = (c_size_t * len(raw))(*map(len, raw))
            kept = [(c_uint8 * max(1, len(item)))(*item) for item in raw]
            data = (POINTER(c_uint8) * len(raw))(*(cast(item, POINTER(c_uint8)) for item in kept))
            self.fmu.fmi3SetBinary(self.fmu.component, self._reference(variable), 1, sizes, cast(data, POINTER(fmpy.fmi3.fmi3Binary)), len(raw))
        else:
            buffer = (C_TYPES[variable.type] * len(raw))(*raw)
            self._function("Set", variable)(self.fmu.component, self._reference(variable), 1, buffer, len(raw))

    def step(self, time, step):
        event, terminate, early, reached = self.fmu.doStep(time, step)
        answer = dict(event=event, terminate=terminate, early=early, reached=values.show("Float64", reached))
        if event and self.event_mode:
            answer.update(self.event([]))
        return answer

    def event(self, clocks):
        self.fmu.enterEventMode()
        for clock in clocks:
            active = (ctypes.c_bool * 1)(True)
            self.fmu.fmi3SetClock(self.fmu.component, self._reference(clock), 1, active)
        answer = self._update()
        self.fmu.enterStepMode()
        return answer

    def save(self):
        state = self.fmu.getFMUState()
        return state, self.fmu.serializeFMUState(state)

    def restore_bytes(self, data):
        state = self.fmu.deserializeFMUState(data)
        self.fmu.setFMUState(state)
        self.fmu.freeFMUState(state)

    def _update(self):
        while True:
            again, terminate, _, _, defined, following = self.fmu.updateDiscreteStates()
            if not again:
                return dict(terminate_at_event=terminate, next_event=values.show("Float64", following) if defined else None)

    def _function(self, verb, variable):
        return getattr(self.fmu, f"fmi3{verb}" + {"Enumeration": "Int64"}.get(variable.type, variable.type))

    def _reference(self, variable):
        return (fmpy.fmi3.fmi3ValueReference * 1)(variable.valueReference)

    def _count(self, variable):
        count = 1
        for dimension in variable.dimensions:
            fixed = dimension.start is not None
            count *= int(dimension.start) if fixed else self.sizes[self._size_reference(dimension)]
        return count

    def _size_reference(self, dimension):
        reference = dimension.valueReference
        return int(reference) if reference is not None else dimension.variable.valueReference
