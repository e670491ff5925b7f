"""Prints what a JSON schema finds wrong with texts in TOML: a list of texts each.

usage: schema.py REQUESTS, a JSON file: a list of {"schema": a JSON schema, "text": TOML}
"""

import json
import sys
import tomllib

from jsonschema import Draft7Validator


def findings(request):
    Draft7Validator.check_schema(request["schema"])
    errors = Draft7Validator(request["schema"]).iter_errors(tomllib.loads(request["text"]))
    return [f"{error.json_path}: {error.message}" for error in errors]


with open(sys.argv[1], encoding="utf-8") as file:
    requests = json.load(file)
print(json.dumps([findings(request) for request in requests]))
