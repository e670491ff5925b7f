"""A straight-line master over FMPy: every step reads all outputs, hands them on, and has every instance step.

It shares nothing with Consort but the FMUs. FMUs whose library is called otherwise than their model are put right in the copy
that is unpacked here. Times are exact and rounded once. Prints {"times": [...], "columns": {"instance.variable": [...]}} with floats as in `values.py`.

usage: master.py REQUEST, a file with
    {"fmus": {key: path}, "instances": {name: key}, "parameters": [[instance, variable, value]],
     "connections": [[instance, output, instance, input]], "start": "0", "step": "0.1", "count": 100,
     "record": [[instance, variable]]}
"""

import json
import os
import shutil
import sys
from fractions import Fraction

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

import values

with open(sys.argv[1]) as file:
    request = json.load(file)
descriptions, folders = {}, {}
for key, path in request["fmus"].items():
    descriptions[key] = read_model_description(path, validate=False)
    folders[key] = extract(path)
    binaries = os.path.join(folders[key], "binaries", "linux64")
    wanted = os.path.join(binaries, descriptions[key].coSimulation.modelIdentifier + ".so")
    if not os.path.exists(wanted):
        shutil.copy(os.path.join(binaries, os.listdir(binaries)[0]), wanted)

slaves, variables = {}, {}
for name, key in request["instances"].items():
    description = descriptions[key]
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folders[key],
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName=name,
    )
    slave.instantiate()
    slave.setupExperiment(startTime=float(Fraction(request["start"])))
    slaves[name] = slave
    variables[name] = {variable.name: variable for variable in description.modelVariables}


def get(instance, name):
    variable = variables[instance][name]
    read = slaves[instance].getBoolean if variable.type == "Boolean" else slaves[instance].getReal
    return read([variable.valueReference])[0]


def put(instance, name, value):
    variable = variables[instance][name]
    if variable.type == "Boolean":
        slaves[instance].setBoolean([variable.valueReference], [bool(value)])
    else:
        slaves[instance].setReal([variable.valueReference], [float(value)])


def exchange():
    read = [get(source, output) for source, output, _, _ in request["connections"]]
    for (_, _, target, variable), value in zip(request["connections"], read):
        put(target, variable, value)


for instance, name, value in request["parameters"]:
    put(instance, name, value)
for slave in slaves.values():
    slave.enterInitializationMode()
exchange()
for slave in slaves.values():
    slave.exitInitializationMode()
times, columns = [], {f"{instance}.{name}": [] for instance, name in request["record"]}
for count in range(request["count"] + 1):
    time = float(Fraction(request["start"]) + count * Fraction(request["step"]))
    times.append(values.show("Float64", time))
    for instance, name in request["record"]:
        columns[f"{instance}.{name}"].append(values.show("Float64", float(get(instance, name))))
    if count == request["count"]:
        break
    exchange()
    for slave in slaves.values():
        slave.doStep(currentCommunicationPoint=time, communicationStepSize=float(Fraction(request["step"])))
for slave in slaves.values():
    slave.terminate()
    slave.freeInstance()
for folder in folders.values():
    shutil.rmtree(folder, ignore_errors=True)
print(json.dumps({"times": times, "columns": columns}))
