"""Exceptions, by phase; each carries every diagnostic."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

__all__ = [
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
]


@dataclass(frozen=True)
class Diagnostic:
    """One mistake, warning or note. `consort explain CODE` prints what its code means."""

    code: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    help: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Diagnostic:
        place = data.get("place") or {}
        return cls(
            code=data["code"],
            severity=data["severity"],
            message=data["message"],
            file=place.get("file"),
            line=place.get("line"),
            column=place.get("column"),
            help=data.get("help"),
            notes=tuple(data.get("notes") or ()),
        )


class ConsortError(Exception):
    """Something could not be done. `str()` is what the command line prints; `diagnostics` are its parts."""

    diagnostics: list[Diagnostic]

    def __init__(self, text: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics or []

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.diagnostics)


class LoadError(ConsortError):
    """A system or model could not be read, loaded or planned: nothing was run."""


class RunError(ConsortError):
    """A run could not begin or continue, or a variable could not be read or set."""


class StateError(ConsortError):
    """A state could not be saved, restored or branched."""


class TraceError(ConsortError):
    """A trace could not be read, drawn or written, or has no such column."""


class CampaignError(ConsortError):
    """A campaign could not be explored."""


class CancelledError(ConsortError):
    """It was cancelled by `Run.cancel`. The run can continue."""


class BugError(ConsortError):
    """A bug of Consort. The interpreter goes on; what was called is not to be used any more."""


class ConsortWarning(UserWarning):
    """A run came to its end, but not everything went as it should."""


def make(kind: str, text: str, diagnostics: str) -> ConsortError:
    """What the extension module raises: a class by its name."""
    found = [Diagnostic._of(each) for each in json.loads(diagnostics)]
    made: ConsortError = globals()[kind](text, found)
    return made
