"""Prints the problems FMPy finds in each FMU as one JSON list of lists; exit code 1 if there are any.

usage: validate.py FMU ...
"""

import json
import sys

from fmpy.validation import validate_fmu

problems = [validate_fmu(path) for path in sys.argv[1:]]
print(json.dumps(problems))
sys.exit(1 if any(problems) else 0)
