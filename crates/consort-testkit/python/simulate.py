"""Prints FMPy's own run of an FMU: {"names": [...], "rows": [[...]]} with floats as in `values.py`.

usage: simulate.py FMU STOP STEP [NAME=VALUE ...]
"""

import json
import sys

from fmpy import simulate_fmu

import values

fmu, stop, step, *settings = sys.argv[1:]
result = simulate_fmu(
    fmu,
    validate=False,
    stop_time=float(stop),
    output_interval=float(step),
    start_values=dict(item.split("=", 1) for item in settings),
)


def cell(value):
    if value.dtype.kind == "f":
        return values.show("Float32" if value.dtype.itemsize == 4 else "Float64", float(value))
    return value.item()


rows = [[[cell(v) for v in row[n].flatten()] if row[n].ndim else cell(row[n]) for n in result.dtype.names] for row in result]
print(json.dumps({"names": list(result.dtype.names), "rows": rows}))
