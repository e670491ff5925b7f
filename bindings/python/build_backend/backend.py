"""Builds the package: first the program `consort`, then, by maturin, the extension module, in one target directory.

maturin makes wheels of a library or of a program, not of both. But it puts into a wheel what lies in a *data* folder,
and what is in its `scripts` becomes an executable beside the interpreter: so the program is built by Cargo, copied
there, and maturin does the rest.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import maturin

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    _scripts()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    _scripts()
    return maturin.prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _prepare()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _prepare()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _scripts():
    """The folder of executables; maturin wants it to be there also where only metadata are asked for."""
    scripts = HERE / "built" / "consort_cosim.data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    return scripts


def _prepare():
    """What maturin does not make: the program, and the C library that `consort.node` compiles."""
    cargo = os.environ.get("CARGO", "cargo")
    # Both at once: built one after the other they would want shared crates with other features, and so twice.
    both = ["-p", "consort-cli", "-p", "consort-py", "--features", "consort-py/extension-module"]
    subprocess.run([cargo, "build", "--release", *both], cwd=ROOT, check=True)
    asked = [cargo, "metadata", "--format-version", "1", "--no-deps"]
    metadata = json.loads(subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    shutil.copy2(Path(metadata["target_directory"]) / "release" / "consort", _scripts() / "consort")
    library = HERE / "consort" / "c"
    library.mkdir(exist_ok=True)
    for name in ["consort.c", "consort.h"]:
        shutil.copy2(ROOT / "bindings" / "c" / name, library / name)
