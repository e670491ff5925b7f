"""The program `consort`, which serves isolated models, nodes and campaigns: a script of this package."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from . import _native

__all__ = ["provide"]


def provide() -> None:
    """Tells the library of the program that was installed with this package. `CONSORT_PROGRAM` names another one."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    folders = [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]
    for program in (folder / "consort" for folder in folders):
        if program.is_file():
            _native.offer_program(program)
            return
