"""Prints FMPy's run of an SSP: {"names": [...], "rows": [[...]]}, floats as in `values.py`.

usage: simulate_ssp.py SSP STOP STEP
"""

import json
import sys

from fmpy.ssp.simulation import simulate_ssp

import values

ssp, stop, step = sys.argv[1:]
result = simulate_ssp(ssp, stop_time=float(stop), step_size=float(step))


def cell(value):
    return values.show("Float64", float(value)) if value.dtype.kind == "f" else value.item()


rows = [[cell(row[name]) for name in result.dtype.names] for row in result]
print(json.dumps({"names": list(result.dtype.names), "rows": rows}))
