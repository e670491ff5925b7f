"""An FMI 2.0 model for `pythonfmu`: integrates a real, counts, toggles, and says how far it came."""

from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String


class Mixer2(Fmi2Slave):
    author = "Consort"
    description = "one variable of each FMI 2.0 type"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u = 0.0
        self.rate = 1.0
        self.x = 0.0
        self.steps = 0
        self.odd = False
        self.text = "after 0 steps"
        self.register_variable(Real("u", causality=Fmi2Causality.input, start=0.0))
        self.register_variable(
            Real("rate", causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable, start=1.0)
        )
        self.register_variable(Real("x", causality=Fmi2Causality.output))
        self.register_variable(Integer("steps", causality=Fmi2Causality.output))
        self.register_variable(Boolean("odd", causality=Fmi2Causality.output))
        self.register_variable(String("text", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        self.x += step_size * (self.rate * self.u + 0.1)
        self.steps += 1
        self.odd = self.steps % 2 == 1
        self.text = f"after {self.steps} steps"
        return True
