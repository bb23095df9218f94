"""Prints the types of resources that this moto creates from a CloudFormation template, one a line."""
import importlib

import moto.backends
from moto.core.common_models import CloudFormationModel


def all_subclasses(of):
    for one in of.__subclasses__():
        yield one
        yield from all_subclasses(one)


for name in moto.backends.list_of_moto_modules():
    try:
        importlib.import_module(f"moto.{name}.models")
    except ImportError:
        pass

names = set()
for model in all_subclasses(CloudFormationModel):
    try:
        names.add(model.cloudformation_type())
    except Exception:
        pass
print("\n".join(sorted(name for name in names if name)))
