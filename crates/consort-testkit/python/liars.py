"""What FMPy makes of lying FMUs by Co-Simulation, each in a process of its own, which may not survive.

usage: liars.py REQUESTS

REQUESTS is a JSON file: {"inputs": [[time, u], ...], "stop": s, "step": s, "cases": [{"fmu": folder, "lies": text}, ...]}.
Prints a list with one answer per case: {"ended": "done", "rows": [[time, y, n, b], ...]} with floats as in `values.py`,
{"ended": "error", "text": ...}, {"ended": "signal N"}, {"ended": "exit N"} or {"ended": "no end"}.
"""

import json
import os
import select
import signal
import sys

import numpy as np
from fmpy import read_model_description, simulate_fmu

import values

SECONDS_MAX = 10


def simulate(case, request):
    os.environ["LIAR"] = case["lies"]
    inputs = np.array([tuple(row) for row in request["inputs"]], dtype=[("time", float), ("u", float)])
    description = read_model_description(case["fmu"], validate=False)
    result = simulate_fmu(
        case["fmu"],
        validate=False,
        model_description=description,
        fmi_type="CoSimulation",
        stop_time=request["stop"],
        output_interval=request["step"],
        start_values={"k": 2.0},
        input=inputs,
        output=["y", "n", "b"],
        use_event_mode=description.fmiVersion.startswith("3"),
        early_return_allowed=False,
        logger=lambda *_: None,
    )
    shown = [[values.show("Real", row["time"]), values.show("Real", row["y"]), int(row["n"]), bool(row["b"])] for row in result]
    return {"ended": "done", "rows": shown}


def child(case, request, pipe):
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1, 2):
        os.dup2(nowhere, file)
    try:
        answer = simulate(case, request)
    except BaseException as error:
        answer = {"ended": "error", "text": str(error)}
    os.write(pipe, json.dumps(answer).encode())
    os._exit(0)


def listen(pipe, pid):
    text = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], SECONDS_MAX)
        if not ready:
            os.kill(pid, signal.SIGKILL)
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            return text
        text += part


def ask(case, request):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        child(case, request, write)
    os.close(write)
    text = listen(read, pid)
    os.close(read)
    _, status = os.waitpid(pid, 0)
    if text is None:
        return {"ended": "no end"}
    if text:
        return json.loads(text)
    if os.WIFSIGNALED(status):
        return {"ended": f"signal {os.WTERMSIG(status)}"}
    return {"ended": f"exit {os.WEXITSTATUS(status)}"}


with open(sys.argv[1]) as file:
    request = json.load(file)
print(json.dumps([ask(case, request) for case in request["cases"]]))
