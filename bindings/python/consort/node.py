"""A program in Python that takes part in a run of Consort as one of its components.

    import consort

    with consort.join("controller") as node:
        level, u = node.variables("level", "u")
        for time, length in node:
            u.value += length * 0.1 * (1.0 - level.value)

It needs nothing of the package that it is part of: the file can be copied alone, as `consort.py`, if `consort.c` and
`consort.h` of `bindings/c` are beside it. Everything is done by that C library, which is compiled at its first use with
the system's C compiler (`CC`, else `cc`) into a cache folder. What is promised is in `docs/foreign-nodes.md`.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

__all__ = ["ConsortError", "Node", "NodeError", "Variable", "join"]


if TYPE_CHECKING:
    from ._errors import ConsortError
else:
    try:
        from ._errors import ConsortError
    except ImportError:  # This file alone.

        class ConsortError(Exception):
            """What all exceptions of Consort are."""


class NodeError(ConsortError):
    """The run could not be joined, or has failed; the message is that of `consort_error`."""


class Variable:
    """A variable of the component: `value` is a scalar, elements are reached by index."""

    def __init__(self, node: Node, name: str, kind: type) -> None:
        self._node = node
        self._index = _library().consort_variable(node._handle, name.encode())
        node._check()
        self._get, self._put = _CALLS[kind]
        self._kind = kind

    def __len__(self) -> int:
        return int(_library().consort_count(self._node._handle, self._index))

    def __getitem__(self, element: int) -> Any:
        value = getattr(_library(), self._get)(self._node._handle, self._index, element)
        self._node._check()
        return value.decode() if self._kind is str else self._kind(value)

    def __setitem__(self, element: int, value: Any) -> None:
        value = value.encode() if self._kind is str else self._kind(value)
        getattr(_library(), self._put)(self._node._handle, self._index, element, value)
        self._node._check()

    @property
    def value(self) -> Any:
        return self[0]

    @value.setter
    def value(self, value: Any) -> None:
        self[0] = value


class Node:
    """The place of this program in a run: iterating over it gives `(time, length)` of each step."""

    def __init__(self, component: str) -> None:
        self._handle = _library().consort_join(component.encode())
        self._state: ctypes.Array[ctypes.c_double] | None = None
        self._has_ended = False
        if not self._handle:
            raise NodeError(_library().consort_error(None).decode())

    def variable(self, name: str, kind: type = float) -> Variable:
        """A variable by name; `kind` is `float`, `int`, `bool` or `str`."""
        return Variable(self, name, kind)

    def variables(self, *names: str) -> list[Variable]:
        """Several variables that are real numbers."""
        return [self.variable(name) for name in names]

    def state(self, count: int) -> ctypes.Array[ctypes.c_double]:
        """Room for so many real numbers, which, with the outputs, is all that the program remembers between
        steps: they are saved and brought back whenever the run is."""
        self._state = state = (ctypes.c_double * count)()
        _library().consort_state(self._handle, state, ctypes.sizeof(state))
        return state

    @property
    def start(self) -> float:
        return float(_library().consort_start(self._handle))

    @property
    def stop(self) -> float:
        return float(_library().consort_stop(self._handle))

    def __iter__(self) -> Iterator[tuple[float, float]]:
        time, length = ctypes.c_double(), ctypes.c_double()
        while True:
            more = _library().consort_next(self._handle, ctypes.byref(time), ctypes.byref(length))
            if more == 0:
                self._has_ended = True
                return
            self._check()
            yield time.value, length.value

    def fail(self, message: str) -> None:
        """The program cannot continue: the run ends with an error that says so."""
        _library().consort_fail(self._handle, message.encode())

    def leave(self) -> None:
        """Ends it all, also before the run's end."""
        handle, self._handle = self._handle, None
        if handle and _library().consort_leave(handle) != 0 and self._has_ended:
            raise NodeError("the companion of this program did not end well")

    def _check(self) -> None:
        words = _library().consort_error(self._handle)
        if words:
            raise NodeError(words.decode())

    def __enter__(self) -> Node:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None and self._handle:
            self.fail(f"{kind.__name__}: {error}")
        self.leave()


def join(component: str) -> Node:
    """Takes the place of a component; use it in a `with` statement."""
    return Node(component)


_CALLS = {
    float: ("consort_get_at", "consort_put_at"),
    int: ("consort_get_whole", "consort_put_whole"),
    bool: ("consort_get_whole", "consort_put_whole"),
    str: ("consort_get_text", "consort_put_text"),
}

_loaded: ctypes.CDLL | None = None


def _library() -> ctypes.CDLL:
    global _loaded
    if _loaded is None:
        _loaded = _declared(ctypes.CDLL(str(_compiled())))
    return _loaded


def _sources() -> pathlib.Path:
    """Where the C library is: in the package, beside this file, or in the folder `c` beside that of the package."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in [here / "c", here, here.parent / "c", here.parent.parent / "c"]:
        if (folder / "consort.c").is_file() and (folder / "consort.h").is_file():
            return folder
    raise NodeError(f"`consort.c` and `consort.h` are not found: copy them from `bindings/c` to `{here}`")


def _compiled() -> pathlib.Path:
    folder = _sources()
    files = [folder / "consort.c", folder / "consort.h"]
    key = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
    root = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(os.environ.get("CONSORT_CACHE") or pathlib.Path(root) / "consort") / "python"
    library = folder / f"consort-{key}.so"
    if not library.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        # Made beside its place and moved there whole: several programs may start at once.
        with tempfile.TemporaryDirectory(dir=folder) as work:
            made = pathlib.Path(work) / "consort.so"
            command = [os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", "-o", str(made), str(files[0])]
            subprocess.run(command, check=True)
            made.replace(library)
    return library


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    node, number, count = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    real, whole, text = ctypes.c_double, ctypes.c_int64, ctypes.c_char_p
    doubles = ctypes.POINTER(real)
    for name, result, arguments in [
        ("consort_join", node, [text]),
        ("consort_next", number, [node, doubles, doubles]),
        ("consort_variable", number, [node, text]),
        ("consort_count", count, [node, number]),
        ("consort_get_at", real, [node, number, count]),
        ("consort_put_at", None, [node, number, count, real]),
        ("consort_get_whole", whole, [node, number, count]),
        ("consort_put_whole", None, [node, number, count, whole]),
        ("consort_get_text", text, [node, number, count]),
        ("consort_put_text", None, [node, number, count, text]),
        ("consort_start", real, [node]),
        ("consort_stop", real, [node]),
        ("consort_state", None, [node, ctypes.c_void_p, count]),
        ("consort_fail", None, [node, text]),
        ("consort_error", text, [node]),
        ("consort_leave", number, [node]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
