"""Drives an FMU by FMPy, one call at a time, and prints what it gives, exactly.

usage: drive.py FMU REQUESTS.json

The file holds a list of requests, each for a fresh instance; the last line of the output is the list of answers.

A request: {"name": "oracle", "start_time": 0, "stop_time": null, "tolerance": null, "event_mode": false, "early_return": false,
"structural": {NAME: SIZE}, "start": {NAME: VALUE}, "record": [NAME], "steps": [STEP]}, all but `steps` optional; a STEP is
[TIME, LENGTH], or {"time": T, "step": H, "set": {NAME: VALUE}}, or {"event": true, "clocks": [NAME]} for event mode without a
step, or {"save": LABEL}, {"restore": LABEL}, {"restore_bytes": LABEL} (the same by way of serialized bytes), or
{"derivatives": [[UNKNOWN], [KNOWN], [SEED]]}. Event mode follows by itself after a step that asks for it. `record` defaults to
all outputs.

An answer: {"initial": {NAME: VALUE}, "steps": [{"event", "terminate", "early", "reached", "values": {...}}],
"error": null or FMPy's words}. Values are as in `values.py`; arrays are flat lists.
"""

import json
import shutil
import sys

from fmpy import extract, read_model_description

import access
import values


def main(path, requests):
    folder = extract(path) if path.endswith(".fmu") else path
    try:
        return [drive(folder, request) for request in requests]
    finally:
        if folder != path:
            shutil.rmtree(folder, ignore_errors=True)


def drive(folder, request):
    description = read_model_description(folder, validate=False)
    named = {v.name: v for v in description.modelVariables}
    outputs = [v.name for v in description.modelVariables if v.causality == "output" and not v.clocks]
    record = [named[name] for name in request.get("record") or outputs]
    answer = {"initial": {}, "steps": [], "error": None}
    kind = access.Two if description.fmiVersion == "2.0" else access.Three
    instance = None
    try:
        instance = kind(description, folder, request)
        run(instance, request, named, record, answer)
    except Exception as problem:
        answer["error"] = str(problem)
    if instance:
        instance.fmu.freeInstance()
    return answer


def run(instance, request, named, record, answer):
    def set_all(pairs):
        for name, value in pairs.items():
            instance.set(named[name], value)

    def get_all():
        return {v.name: instance.get(v) for v in record}

    if request.get("structural"):
        instance.configure([(named[name], value) for name, value in request["structural"].items()])
    start = values.float_of(request.get("start_time", 0))
    stop = request.get("stop_time")
    instance.initialize(
        start,
        None if stop is None else values.float_of(stop),
        request.get("tolerance"),
        lambda: set_all(request.get("start", {})),
    )
    answer["initial"] = get_all()
    saved = {}
    for step in request["steps"]:
        if isinstance(step, list):
            step = {"time": step[0], "step": step[1]}
        set_all(step.get("set", {}))
        answer["steps"].append({**perform(instance, step, named, saved), "values": get_all()})
    for state, _ in saved.values():
        instance.fmu.freeFMUState(state)
    instance.fmu.terminate()


def perform(instance, step, named, saved):
    if "save" in step:
        saved[step["save"]] = instance.save()
        return {}
    if "restore" in step:
        instance.fmu.setFMUState(saved[step["restore"]][0])
        return {}
    if "restore_bytes" in step:
        instance.restore_bytes(saved[step["restore_bytes"]][1])
        return {}
    if "derivatives" in step:
        unknowns, knowns, seed = step["derivatives"]
        references = [[named[name].valueReference for name in names] for names in (unknowns, knowns)]
        found = instance.fmu.getDirectionalDerivative(*references, [values.float_of(s) for s in seed])
        return {"derivatives": [values.show("Float64", value) for value in found]}
    if "event" in step:
        return instance.event([named[name] for name in step.get("clocks", [])])
    return instance.step(values.float_of(step["time"]), values.float_of(step["step"]))


with open(sys.argv[2], encoding="utf-8") as file:
    print(json.dumps(main(sys.argv[1], json.load(file))))
