"""Repeatable co-simulation: FMUs, equations, SBML and native models, coupled and run.

    import consort

    result = consort.simulate("examples/quickstart", stop=60)
    print(result.trace_hash, result["tank.level"][-1])

What there is, by example, is in `docs/python.md`. Names are imported when they are used: a program that takes part in a
run as a component (`consort.join`) needs nothing but this file, `node.py` and the C library.
"""

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

# Programs that a run starts find this file and `node.py` in the cache; the rest is where the package is installed.
__path__ = extend_path(__path__, __name__)

if TYPE_CHECKING:
    from ._campaign import CampaignResult, explore
    from ._errors import (
        BugError,
        CampaignError,
        CancelledError,
        ConsortError,
        ConsortWarning,
        Diagnostic,
        LoadError,
        RunError,
        StateError,
        TraceError,
    )
    from ._native import Handle, Handles, Run, Snapshot
    from ._result import Picture, Result
    from ._system import System, blocks, program, simulate
    from .node import Node, NodeError, Variable, join

_PLACES = {
    "_campaign": ["CampaignResult", "explore"],
    "_errors": [
        "BugError",
        "CampaignError",
        "CancelledError",
        "ConsortError",
        "ConsortWarning",
        "Diagnostic",
        "LoadError",
        "RunError",
        "StateError",
        "TraceError",
    ],
    "_native": ["Handle", "Handles", "Run", "Snapshot", "__version__"],
    "_result": ["Picture", "Result"],
    "_system": ["System", "blocks", "program", "simulate"],
    "node": ["Node", "NodeError", "Variable", "join"],
}

_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "BugError",
    "CampaignError",
    "CampaignResult",
    "CancelledError",
    "ConsortError",
    "ConsortWarning",
    "Diagnostic",
    "Handle",
    "Handles",
    "LoadError",
    "Node",
    "NodeError",
    "Picture",
    "Result",
    "Run",
    "RunError",
    "Snapshot",
    "StateError",
    "System",
    "TraceError",
    "Variable",
    "blocks",
    "explore",
    "join",
    "program",
    "simulate",
]


def __getattr__(name: str) -> Any:
    place = _PLACE_OF.get(name)
    if place is None:
        raise AttributeError(f"module 'consort' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{place}"), name)
    except ImportError as error:
        if not (error.name or "").startswith(__name__):
            raise
        if name != "ConsortError":
            raise ImportError(
                f"`consort.{name}` is in the package, which is not installed here: `pip install ./bindings/python`"
            ) from error
        # Programs of a run that catch it need no package.
        value = getattr(import_module(f"{__name__}.node"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
