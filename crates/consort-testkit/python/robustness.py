"""The robustness of formulas of signal temporal logic, by rtamt in its discrete time.

Usage: robustness.py REQUESTS. The file holds a JSON list of requests, each with

    formula  the formula
    signals  by name, the values at 0 s, 1 s, 2 s, ...
    online   whether the values are shown one by one, with the formula made to look back; else all at once
    repeats  how often that is done, for a time to be measured

Prints one JSON list: for each request `robustness`, a list of floats as the hexadecimal digits of their bits (of all
times, or online of all updates), and `seconds`, what the evaluation took without reading the formula.
"""

import json
import struct
import sys
import time

import rtamt


def exact(value):
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", value))[0]


def specification(request):
    made = rtamt.StlDiscreteTimeSpecification()
    for name in request["signals"]:
        made.declare_var(name, "float")
    made.spec = request["formula"]
    made.parse()
    if request.get("online"):
        made.pastify()
    return made


def evaluate(made, request):
    signals = request["signals"]
    count = len(next(iter(signals.values())))
    if request.get("online"):
        rows = [[(name, values[row]) for name, values in signals.items()] for row in range(count)]
        started = time.perf_counter()
        found = [made.update(row, values) for row, values in enumerate(rows)]
        return found, time.perf_counter() - started
    data = {name: list(values) for name, values in signals.items()}
    data["time"] = list(range(count))
    started = time.perf_counter()
    found = made.evaluate(data)
    return [value for _, value in found], time.perf_counter() - started


def answer(request):
    times = []
    for _ in range(request.get("repeats", 1)):
        found, seconds = evaluate(specification(request), request)
        times.append(seconds)
    return {"robustness": [exact(float(value)) for value in found], "seconds": min(times)}


def main():
    with open(sys.argv[1]) as file:
        requests = json.load(file)
    print(json.dumps([answer(request) for request in requests]))


if __name__ == "__main__":
    main()
