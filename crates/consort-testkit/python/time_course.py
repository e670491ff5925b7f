"""Time courses of SBML models by libRoadRunner.

A request is {"sbml": text, "end": seconds, "points": how many, "names": what}; its answer is
{"rows": one for each point after the start} or {"error": what the tool said}. Floats are written exactly.
"""

import json
import sys

import roadrunner

from values import show


def course(request):
    try:
        model = roadrunner.RoadRunner(request["sbml"])
        integrator = model.getIntegrator()
        integrator.setValue("relative_tolerance", 1e-11)
        integrator.setValue("absolute_tolerance", 1e-13)
        integrator.setValue("maximum_num_steps", 1000000)
        model.timeCourseSelections = request["names"]
        result = model.simulate(0, request["end"], request["points"] + 1)
        rows = [[show("Float64", float(value)) for value in row] for row in result][1:]
        return {"rows": rows}
    except Exception as error:
        return {"error": str(error)}


def main():
    roadrunner.Logger.setLevel(roadrunner.Logger.LOG_FATAL)
    with open(sys.argv[1]) as file:
        requests = json.load(file)
    print(json.dumps([course(request) for request in requests]))


main()
