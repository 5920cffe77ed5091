"""File formats: each file in this folder and in those below registers the formats that it reads; `FORMATS` has them."""

from importlib import import_module
from pkgutil import walk_packages

from ragdash.io.formats.registry import FORMATS

__all__ = ["FORMATS"]

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
