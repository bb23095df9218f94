"""Checks requests against AWS's own descriptions of its services, as botocore holds them.

Reads a JSON list of {"service", "call", "input"} and prints a JSON list of what is wrong, each as a sentence.
"""
import json
import sys

import botocore.session
from botocore.validate import ParamValidator

session = botocore.session.get_session()


def wrong_values(value, shape, path):
    """What the validator leaves to the service: values that are none of those that there are."""
    if shape.type_name == "structure" and isinstance(value, dict):
        for name, one in value.items():
            if name in shape.members:
                yield from wrong_values(one, shape.members[name], f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(value, list):
        for at, one in enumerate(value):
            yield from wrong_values(one, shape.member, f"{path}[{at}]")
    elif shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"{path} is {value!r}, and may be {', '.join(shape.enum)}"


def problems(request):
    model = session.get_service_model(request["service"])
    call, given = request["call"], request["input"]
    if call not in model.operation_names:
        return [f"there is no call {call}"]
    shape = model.operation_model(call).input_shape
    report = ParamValidator().validate(given, shape)
    found = report.generate_report().split("\n") if report.has_errors() else []
    return [f"{call}: {one}" for one in [*found, *wrong_values(given, shape, call)]]


print(json.dumps([one for request in json.load(sys.stdin) for one in problems(request)]))
