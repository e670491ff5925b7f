"""An integral controller, as a program of its own."""

import consort

with consort.join("controller") as node:
    gain, setpoint, level, u = node.variables("gain", "setpoint", "level", "u")
    memory = node.state(1)
    memory[0] = u.value
    for time, length in node:
        memory[0] += length * (gain.value * (setpoint.value - level.value))
        u.value = memory[0]
