"""What FMPy makes of an FMU with Model Exchange and Co-Simulation: several tasks in one process.

usage: exported.py FMU TASKS.json

Tasks, with their answers, floats as in `values.py`:
- {"simulate": INTERFACE, "stop": T, "step": H, "tolerance": R, "input": CSV or null, "events": whether also rows at events}: FMPy's own run, with its CVODE for
  Model Exchange: {"names": [...], "rows": [[...]]}
- {"states": INTERFACE, "steps": N, "step": H}: saves the state in the middle of a run, goes on; restores it and goes on; gives its
  bytes to a fresh instance and goes on: {"first": ROWS, "restored": ROWS, "fresh": ROWS}
- {"compile": OUT.fmu}: builds the sources as FMPy does, with nothing of the binary that was there: {}
"""

import json
import pathlib
import shutil
import sys
import zipfile

from fmpy import extract, read_model_description, simulate_fmu
from fmpy.build import build_platform_binary
from fmpy.util import read_csv

import access
import values
from exchange import Integration


def shown(cell):
    """A number, or a list of those in an array."""
    return values.show("Float64", float(cell)) if cell.ndim == 0 else [shown(part) for part in cell.flatten()]


def simulate(fmu, task):
    table = task.get("input")
    result = simulate_fmu(
        fmu,
        fmi_type=task["simulate"],
        stop_time=task["stop"],
        output_interval=task["step"],
        relative_tolerance=task["tolerance"],
        record_events=task.get("events", False),
        input=read_csv(table) if table else None,
    )
    rows = [[shown(cell) for cell in row] for row in result]
    return {"names": list(result.dtype.names), "rows": rows}


class Exchange:
    """A Model Exchange instance."""

    def __init__(self, folder, step, like=None):
        self.it, self.step = Integration(folder), step
        if like is None:
            self.it.initialize({})
            self.it.iterate()
        else:
            self.it.nx, self.it.nz, self.it.next = like.it.nx, like.it.nz, like.it.next
        self.fmu = self.it.fmu

    def advance(self, index):
        self.it.advance(index * self.step, self.step)
        return self.it.row(False)

    def memory(self):
        return self.it.next

    def remember(self, memory):
        self.it.next = memory


class Steps:
    """A Co-Simulation instance."""

    def __init__(self, folder, step, like=None):
        description = read_model_description(folder)
        kind = access.Two if description.fmiVersion == "2.0" else access.Three
        self.it, self.step = kind(description, folder, {}), step
        self.outputs = [v for v in description.modelVariables if v.causality == "output"]
        if like is None:
            self.it.initialize(0.0, None, 1e-8, lambda: None)
        self.fmu = self.it.fmu

    def advance(self, index):
        self.it.step((index - 1) * self.step, self.step)
        return [self.it.get(v) for v in self.outputs]

    def memory(self):
        return None

    def remember(self, memory):
        pass


def call(fmu, *names):
    """The functions of FMI 2 and FMI 3 differ in their spelling."""
    return next(getattr(fmu, name) for name in names if hasattr(fmu, name))


def states(folder, task):
    kind = Exchange if task["states"] == "ModelExchange" else Steps
    one = kind(folder, task["step"])
    middle, last = task["steps"] // 2, task["steps"]
    for index in range(1, middle + 1):
        one.advance(index)
    state, memory = call(one.fmu, "getFMUstate", "getFMUState")(), one.memory()
    data = call(one.fmu, "serializeFMUstate", "serializeFMUState")(state)
    answer = {"first": [one.advance(index) for index in range(middle + 1, last + 1)]}
    call(one.fmu, "setFMUstate", "setFMUState")(state)
    one.remember(memory)
    answer["restored"] = [one.advance(index) for index in range(middle + 1, last + 1)]
    call(one.fmu, "freeFMUstate", "freeFMUState")(state)
    other = kind(folder, task["step"], like=one)
    state = call(other.fmu, "deSerializeFMUstate", "deserializeFMUState")(data)
    call(other.fmu, "setFMUstate", "setFMUState")(state)
    other.remember(memory)
    answer["fresh"] = [other.advance(index) for index in range(middle + 1, last + 1)]
    one.fmu.freeInstance()
    other.fmu.freeInstance()
    return answer


def compile_sources(fmu, out):
    folder = pathlib.Path(extract(fmu))
    shutil.rmtree(folder / "binaries", ignore_errors=True)
    build_platform_binary(folder)
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder).as_posix())
    return {}


def main(fmu, tasks):
    folder = extract(fmu)
    answers = []
    for task in tasks:
        if "simulate" in task:
            answers.append(simulate(fmu, task))
        elif "states" in task:
            answers.append(states(folder, task))
        else:
            answers.append(compile_sources(fmu, task["compile"]))
    shutil.rmtree(folder, ignore_errors=True)
    return answers


with open(sys.argv[2], encoding="utf-8") as file:
    print(json.dumps(main(sys.argv[1], json.load(file))))
