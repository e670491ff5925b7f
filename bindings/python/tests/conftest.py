"""What the tests share: the repository, FMUs, the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import consort

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder of its own: records go to `out` there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command_line(*arguments: object) -> str:
    """Runs the program of the package; returns what it printed to a person."""
    program = consort.program()
    assert program is not None
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def recorded_hash(folder: Path) -> str:
    return str(json.loads((folder / "manifest.json").read_text())["trace_hash"])


def resident() -> int:
    """The memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(scope="session")
def fmus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FMUs with binaries, packed from the source FMUs of the examples."""
    folder = tmp_path_factory.mktemp("fmus")
    for source, name in [
        ("examples/quickstart/tank", "tank"),
        ("examples/spring-damper/mass-fmi2", "mass"),
    ]:
        command_line("export", "fmu", ROOT / source, folder / f"{name}.fmu")
    return folder
