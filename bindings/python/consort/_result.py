"""What runs leave: tables that others read without a copy."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import numpy.typing

from . import _native
from ._errors import ConsortWarning, TraceError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Picture", "Result"]

#: A column: numbers and truths by type, texts and bytes as objects.
Array = numpy.typing.NDArray[Any]


class Picture:
    """A picture of variables over time; a notebook shows it."""

    def __init__(self, data: bytes, format: str) -> None:
        self.data = data
        self.format = format

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, in the form that it has."""
        Path(path).write_bytes(self.data)

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None

    def _repr_html_(self) -> str | None:
        return self.data.decode() if self.format == "html" else None

    def __str__(self) -> str:
        return self.data.decode() if self.format != "png" else repr(self)


class Result:
    """The recorded variables of a run, and its hash."""

    def __init__(self, trace: _native.Trace | None, about: str, folder: Path | None = None) -> None:
        self._trace = trace
        self._about: dict[str, Any] = json.loads(about)
        self.folder = folder
        for problem in self._about.get("problems", []):
            warnings.warn(problem, ConsortWarning, stacklevel=3)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """The result in a folder that `consort run` or `System.run` left, or a trace alone: `.parquet`, `.csv`."""
        path = Path(path)
        trace = _native.read_trace(path)
        manifest = path / "manifest.json"
        if not manifest.is_file():
            about = {"name": path.stem, "trace_hash": trace.hash(), "plot": [], "problems": []}
            return cls(trace, json.dumps(about))
        return cls._of_record(path, trace)

    @classmethod
    def _of_record(cls, folder: Path, trace: _native.Trace | None, problems: list[str] = []) -> Result:
        manifest = json.loads((folder / "manifest.json").read_text())
        about = {**manifest, "name": manifest["system"]["name"], "problems": problems}
        about["plot"] = manifest["experiment"].get("plot", [])
        return cls(trace, json.dumps(about), folder)

    @property
    def trace_hash(self) -> str:
        """The hash of what happened; the command line prints the same."""
        return str(self._about["trace_hash"])

    @property
    def name(self) -> str:
        """The name of the system."""
        return str(self._about["name"])

    @property
    def summary(self) -> dict[str, Any]:
        """What else is known: of a run that left a record all of its `manifest.json`."""
        return self._about

    @property
    def columns(self) -> list[str]:
        """The names of the recorded variables."""
        return self._table.names()

    @property
    def units(self) -> dict[str, str | None]:
        """The units of the recorded variables."""
        return dict(zip(self._table.names(), self._table.units()))

    @property
    def times(self) -> Array:
        """The times of the rows, in seconds. Events have several rows at one time."""
        return numpy.asarray(self._table.times())

    def __getitem__(self, variable: str) -> Array:
        """The values of a variable: one row for each time. Numbers and truths are not copied, and read only."""
        column = self._table.column(variable)
        return numpy.array(column, dtype=object) if isinstance(column, list) else numpy.asarray(column)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, variable: object) -> bool:
        return variable in self.columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream of Arrow's PyCapsule interface: pandas, polars, pyarrow and DuckDB take the result as it is."""
        return self._table.__arrow_c_stream__(requested_schema)

    def to_numpy(self) -> dict[str, Array]:
        """Every column by its name, `time` first, without a copy."""
        return {"time": self.times, **{name: self[name] for name in self.columns}}

    def to_arrow(self) -> pyarrow.Table:
        """A table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """A data frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of pandas, with the time as its index. Elements of arrays are columns: `name[1]`, `name[1,2]`."""
        import pandas

        columns = {}
        for name in self.columns:
            values = self[name]
            for element in numpy.ndindex(values.shape[1:]):
                suffix = f"[{','.join(str(index + 1) for index in element)}]" if element else ""
                columns[name + suffix] = values[(slice(None), *element)]
        return pandas.DataFrame(columns, index=pandas.Index(self.times, name="time"), copy=False)

    def plot(
        self,
        *variables: str,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        format: str | None = None,
    ) -> Picture | None:
        """Draws variables (`tank.level`, `tank.*`); what the experiment draws if none are named, else everything.

        With a path the picture is written there, in the form of its ending: `.svg`, `.png`, `.html`, `.txt`. Without
        one it is returned.
        """
        patterns = list(variables) or list(self._about.get("plot", [])) or ["*"]
        where = None if path is None else Path(path)
        drawn = self._table.draw(patterns, title or self.name, format, where)
        return Picture(drawn, format or "svg") if path is None else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows to a file: `.parquet`, `.csv` or `.mcap`."""
        self._table.save(Path(path))

    @property
    def _table(self) -> _native.Trace:
        if self._trace is None:
            raise TraceError("no rows were kept: the run was started with `keep_rows=False`")
        return self._trace

    def __repr__(self) -> str:
        rows = "no rows" if self._trace is None else f"{len(self)} rows of {len(self.columns)} variables"
        return f"<consort.Result {self.name}: {rows}, trace {self.trace_hash[:15]}…>"
