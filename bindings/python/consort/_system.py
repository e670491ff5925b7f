"""Systems: loaded or built in code, and run."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from . import _native
from ._program import provide
from ._result import Result

__all__ = ["System", "blocks", "program", "simulate"]

PathLike = str | os.PathLike[str]
#: A time in seconds: a number, an exact fraction, or a text such as `"1/3"`.
Seconds = float | Fraction | str
#: Values over time for inputs that nothing feeds: a CSV file, or a table with a column `time` (or such an index).
Inputs = Any

provide()


class System:
    """A system of coupled models.

    `System.load(path)` reads one: a `system.toml`, an SSP, a multi-model, a folder with one of them, or a model alone
    (`.fmu`, `.eq`, SBML, `native:NAME`). `System(name)` begins one in code.
    """

    def __init__(self, name: str = "system", folder: PathLike = ".") -> None:
        """Begins a system in code; paths of its models are relative to `folder`."""
        self._source = _native.System.build(name, Path(folder))
        self._is_read = False
        self._set: list[str] = []

    @classmethod
    def load(
        cls, path: PathLike, *, variant: str | None = None, with_files: Sequence[PathLike] = ()
    ) -> System:
        """Reads a system. `variant` is the `.ssd` of an SSP, `with_files` are further files of a multi-model."""
        system = cls.__new__(cls)
        system._source = _native.System.load(Path(path), variant, [Path(file) for file in with_files])
        system._is_read = True
        system._set = []
        return system

    @property
    def name(self) -> str:
        """The name of the system."""
        return self._source.name()

    @property
    def components(self) -> dict[str, str]:
        """The components: names and models."""
        return dict(self._source.components())

    def add(self, name: str, model: PathLike, parameters: Mapping[str, Any] | None = None) -> System:
        """Adds a component: its name, its model (a path or `native:NAME`), values of its parameters."""
        self._build("add components")
        self._source.add(name, os.fspath(model))
        for parameter, value in (parameters or {}).items():
            self.set(f"{name}.{parameter}", value)
        return self

    def connect(self, source: str, target: str, *, delay: bool = False) -> System:
        """Connects an output to an input, `component.variable` both; with `delay` a step late."""
        self._build("add connections")
        self._source.connect(source, target, delay)
        return self

    def set(self, variable: str, value: Any) -> System:
        """Gives a parameter, input or start value a value: a number, a truth, a text, a list, or with a unit `"20 cm"`."""
        if self._is_read:
            self._set.append(f"{variable}={_written(value)}")
        else:
            self._source.set(variable, _written(value))
        return self

    def plot(self, *patterns: str) -> System:
        """What `Result.plot` and records draw if nothing is named."""
        self._build("say what is drawn")
        self._source.plot(list(patterns))
        return self

    def to_toml(self) -> str:
        """A system that was built in code as the text of a `system.toml`; it belongs in its folder."""
        self._build("be written as `system.toml`")
        return self._source.to_toml() or ""

    def check(self, **options: Any) -> str:
        """Loads and plans it, and runs nothing. Returns warnings and notes; the options are those of `start`."""
        with _requested(self._set, options) as (changes, how):
            return self._source.check(changes, how)[0]

    def plan(self, **options: Any) -> str:
        """The order of computation as text; the options are those of `start`."""
        with _requested(self._set, options) as (changes, how):
            return self._source.check(changes, how)[1]

    def start(self, **options: Any) -> _native.Run:
        """Makes and initializes the models: a run at its start time, which the caller drives.

        Options, all by name: `start`, `stop`, `step` (seconds), `parameters` (a mapping as for `set`), `inputs` (a CSV
        file, or a table with a column `time`), `record` (patterns besides what the experiment records), `seed`, `order`,
        `loops`, `continuous`, `on_divergence`, `delay`, `solver`, `tolerance`, `solver_step`, `isolate` (every FMU in a
        process of its own), `saved` (states will be saved), `providers`, `python_library`, `workers`, `keep_rows`,
        `call_limit`, `compiler`.
        """
        with _requested(self._set, options) as (changes, how):
            return self._source.start(changes, how)

    def resume(self, path: PathLike, **options: Any) -> _native.Run:
        """A run that continues from a file of `Run.save_to_file` or `consort run --save`."""
        with _requested(self._set, {"saved": True, **options}) as (changes, how):
            return self._source.resume(changes, how, Path(path))

    def run(
        self,
        *,
        out: PathLike | None = None,
        place: Mapping[str, str] | None = None,
        link: str | None = None,
        capacity: int | None = None,
        local: bool = False,
        workers: int | None = None,
        real_time: float | None = None,
        csv: bool = False,
        mcap: bool = False,
        no_record: bool = False,
        log_calls: bool = False,
        save: PathLike | Sequence[PathLike] = (),
        save_at: Sequence[Seconds] = (),
        save_every: Seconds | None = None,
        resume: PathLike | None = None,
        **options: Any,
    ) -> Result:
        """Runs it from start to end and leaves a record in the folder `out` (`out/NAME` without one), as `consort run`
        does: manifest, trace, log, plot, snapshots.

        With `place` (component to node), or nodes in the system's file, each node is a process; `local` keeps everything
        here. The other options are those of `consort run` and of `start`.
        """
        files = [save] if isinstance(save, (str, os.PathLike)) else list(save)
        request = {
            "workers": None if workers is None else _workers(workers),
            "real_time": real_time,
            "csv": csv,
            "mcap": mcap,
            "no_record": no_record,
            "log_calls": log_calls,
            "save": [str(Path(file)) for file in files],
            "save_at": [_seconds(time) for time in save_at],
            "save_every": _seconds(save_every),
            "resume": None if resume is None else str(Path(resume)),
            "place": [f"{component}={node}" for component, node in (place or {}).items()],
            "link": link,
            "capacity": capacity,
            "local": local,
        }
        where = None if out is None else Path(out)
        with _requested(self._set, options) as (changes, how):
            folder, about = _native.record(self._source, changes, how, json.dumps(request), where)
        trace = None if no_record else _native.read_trace(folder)
        return Result._of_record(folder, trace, json.loads(about)["problems"])

    def _build(self, what: str) -> None:
        if self._is_read:
            raise TypeError(f"a system that was loaded cannot {what}: begin one with `System(name)`")

    def __repr__(self) -> str:
        count = len(self.components)
        return f"<consort.System {self.name}: {count} component{'' if count == 1 else 's'}>"


def simulate(model: PathLike | System, **options: Any) -> Result:
    """Runs a system or a model alone from start to end, in memory. The options are those of `System.start`."""
    system = model if isinstance(model, System) else System.load(model)
    with system.start(**options) as run:
        run.advance_to_end()
        result: Result = run.finish()
        return result


def blocks() -> list[str]:
    """The names of the native blocks: models `native:NAME`."""
    return _native.blocks()


def program() -> Path | None:
    """The program `consort` that isolated models, nodes and campaigns are served by."""
    return _native.program()


#: Options of a run that change what is computed, by the names that manifests give them; the others say how.
_CHANGES = {
    "seed": int,
    "order": str,
    "loops": str,
    "continuous": str,
    "on_divergence": str,
    "solver": str,
    "tolerance": float,
}
_TIMES = ["start", "stop", "step", "solver_step"]
_LISTS = ["delay", "record", "providers"]
_HOW = {"workers": "workers", "keep_rows": "is_recorded", "saved": "is_saved", "call_limit": "call_limit"}
_PATHS = ["python_library"]
_OTHERS = ["parameters", "inputs", "isolate", "compiler"]


@contextmanager
def _requested(assignments: list[str], options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What the library reads: changes, and how models are made and a run is carried out. A table of inputs is a file
    meanwhile."""
    known = {*_CHANGES, *_TIMES, *_LISTS, *_HOW, *_PATHS, *_OTHERS}
    for name in options:
        if name not in known:
            raise TypeError(f"unknown option {name!r}; there are: {', '.join(sorted(known))}")
    given = {name: value for name, value in options.items() if value is not None}
    changes: dict[str, Any] = {name: _plain(name, given[name], kind) for name, kind in _CHANGES.items() if name in given}
    changes |= {name: _seconds(given[name]) for name in _TIMES if name in given}
    changes |= {name: _texts(name, given[name]) for name in _LISTS if name in given}
    changes |= {name: os.fspath(given[name]) for name in _PATHS if name in given}
    changes["isolate"] = bool(given.get("isolate", False))
    parameters = given.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise TypeError("`parameters` is a mapping, such as {'tank.area': 2.0}")
    changes["set"] = assignments + [f"{name}={_written(value)}" for name, value in parameters.items()]
    how: dict[str, Any] = {_HOW[name]: given[name] for name in _HOW if name in given}
    how.setdefault("is_recorded", True)
    if "workers" in how:
        how["workers"] = _workers(how["workers"])
    if "call_limit" in how:
        how["call_limit"] = _call_limit(how["call_limit"])
    if "compiler" in given:
        how["compiler"] = os.fspath(given["compiler"])
    inputs = given.get("inputs")
    if inputs is None or isinstance(inputs, (str, os.PathLike)):
        if inputs is not None:
            changes["input"] = os.path.abspath(inputs)
        yield json.dumps(changes), json.dumps(how)
        return
    with tempfile.TemporaryDirectory(prefix="consort-") as folder:
        path = Path(folder) / "inputs.csv"
        _write_inputs(path, inputs)
        changes["input"] = str(path)
        yield json.dumps(changes), json.dumps(how)


def _plain(name: str, value: Any, kind: type) -> Any:
    """A value of an option; numbers of numpy become those of Python."""
    if kind is str:
        if isinstance(value, str):
            return value
    elif not isinstance(value, (str, bool)):
        try:
            return value.__index__() if kind is int else float(value)
        except (AttributeError, TypeError, ValueError):
            pass
    raise TypeError(f"`{name}` is of type {kind.__name__}, not {type(value).__name__}")


def _workers(value: Any) -> int:
    count: int = _plain("workers", value, int)
    if not 1 <= count <= 4096:
        raise ValueError(f"1 to 4096 workers expected, not {count}")
    return count


def _call_limit(value: Any) -> float:
    seconds: float = _plain("call_limit", value, float)
    if not 0 < seconds < 1e9:
        raise ValueError(f"`call_limit` is a number of seconds above zero, not {seconds}")
    return seconds


def _texts(name: str, value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"`{name}` is a list of texts")
    return texts


def _seconds(value: Seconds | None) -> str | None:
    """Times are exact: a double is the shortest decimal that is read back as the same."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return _number(float(value))


def _number(value: float) -> str:
    text = repr(value)
    return text.removesuffix(".0")


def _written(value: Any) -> str:
    """A value as system files write it."""
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Fraction):
        return repr(float(value))
    if isinstance(value, Sequence):
        return f"[{', '.join(_element(item) for item in value)}]"
    raise TypeError(f"a value of a variable is a number, a truth, a text or a list, not {type(value).__name__}")


def _element(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _written(value)


def _write_inputs(path: Path, inputs: Any) -> None:
    """A table as CSV, every number in as many digits as are read back the same."""
    columns = {name: list(inputs[name]) for name in _names(inputs)}
    if "time" not in columns:
        index = getattr(inputs, "index", None)
        if index is None or callable(index):
            raise ValueError("the inputs have no column `time`")
        columns = {"time": list(index), **columns}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        raise ValueError(f"the columns of the inputs differ in length: {sorted(lengths)}")
    order = ["time", *(name for name in columns if name != "time")]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(order)
        writer.writerows(zip(*([_cell(value) for value in columns[name]] for name in order)))


def _names(inputs: Any) -> list[str]:
    names = getattr(inputs, "columns", None)
    if names is None:
        if not isinstance(inputs, Mapping):
            raise TypeError("`inputs` is a file, a mapping of columns, or a data frame")
        names = inputs.keys()
    return [str(name) for name in names]


def _cell(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(float(value)) if isinstance(value, float) else str(value)
