"""Prints FMPy's own run of an FMU: {"names": [...], "rows": [[...]]} with floats as in `values.py`.

With --exchange an FMU is used by Model Exchange, also if it has Co-Simulation, and integrated by CVODE with this relative
tolerance; there is a row before and one after each event.

With --input its inputs come from a CSV file.

usage: simulate.py FMU STOP STEP [--exchange TOLERANCE] [--input FILE] [NAME=VALUE ...]
"""

import json
import sys

from fmpy import read_csv, simulate_fmu

import values

fmu, stop, step, *settings = sys.argv[1:]
options = {}
if settings[:1] == ["--exchange"]:
    options = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": float(settings[1])}
    settings = settings[2:]
if settings[:1] == ["--input"]:
    options["input"] = read_csv(settings[1])
    settings = settings[2:]
result = simulate_fmu(
    fmu,
    validate=False,
    stop_time=float(stop),
    output_interval=float(step),
    start_values=dict(item.split("=", 1) for item in settings),
    **options,
)


def cell(value):
    if value.dtype.kind == "f":
        return values.show("Float32" if value.dtype.itemsize == 4 else "Float64", float(value))
    return value.item()


rows = [[[cell(v) for v in row[n].flatten()] if row[n].ndim else cell(row[n]) for n in result.dtype.names] for row in result]
print(json.dumps({"names": list(result.dtype.names), "rows": rows}))
