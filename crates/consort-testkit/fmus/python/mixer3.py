"""An FMI 3.0 model for `pythonfmu3`: integrates a float, counts in 32 and 64 bits, toggles, and says how far it came."""

from pythonfmu3 import Boolean, Float64, Fmi3Causality, Fmi3Slave, Fmi3StepResult, Fmi3Variability, Int32, Int64, String, UInt64


class Mixer3(Fmi3Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.author = "Consort"
        self.description = "the FMI 3.0 types that pythonfmu3 knows"
        self.time = 0.0
        self.u = 0.0
        self.offset = 2**53 + 1
        self.x = 0.0
        self.steps = 0
        self.big = 2**53 + 1
        self.huge = 2**64 - 1
        self.odd = False
        self.text = "after 0 steps"
        independent = dict(causality=Fmi3Causality.independent, variability=Fmi3Variability.continuous)
        output = dict(causality=Fmi3Causality.output, variability=Fmi3Variability.discrete)
        self.register_variable(Float64("time", **independent))
        self.register_variable(
            Float64("u", causality=Fmi3Causality.input, variability=Fmi3Variability.continuous, start=0.0)
        )
        self.register_variable(
            Int64("offset", causality=Fmi3Causality.parameter, variability=Fmi3Variability.tunable, start=2**53 + 1)
        )
        self.register_variable(
            Float64("x", causality=Fmi3Causality.output, variability=Fmi3Variability.continuous)
        )
        self.register_variable(Int32("steps", **output))
        self.register_variable(Int64("big", **output))
        self.register_variable(UInt64("huge", **output))
        self.register_variable(Boolean("odd", **output))
        self.register_variable(String("text", **output))

    def do_step(self, current_time, step_size):
        self.time = current_time + step_size
        self.x += step_size * (self.u + 0.1)
        self.steps += 1
        self.big = self.offset + 2 * self.steps
        self.huge = 2**64 - 1 - self.steps
        self.odd = self.steps % 2 == 1
        self.text = f"after {self.steps} steps"
        return Fmi3StepResult()
