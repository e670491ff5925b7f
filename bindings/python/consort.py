"""A program in Python that takes part in a run of Consort as one of its components.

    import consort

    with consort.join("controller") as node:
        level, u = node.variables("level", "u")
        for time, length in node:
            u.value += length * 0.1 * (1.0 - level.value)

Everything is done by the C library in `bindings/c`, which is compiled at its first use with the system's C
compiler (`CC`, else `cc`) into a cache folder. What is promised is in `docs/foreign-nodes.md`.
"""

import ctypes
import hashlib
import os
import pathlib
import subprocess
import tempfile

__all__ = ["ConsortError", "Node", "Variable", "join"]

_SOURCE = pathlib.Path(__file__).resolve().parent.parent / "c"


class ConsortError(Exception):
    """The run could not be joined, or has failed; the words are those of `consort_error`."""


class Variable:
    """A variable of the component: `value` is a scalar, elements are reached by index."""

    def __init__(self, node, name, kind):
        self._node = node
        self._index = _library().consort_variable(node._handle, name.encode())
        node._check()
        self._get, self._put = _CALLS[kind]
        self._kind = kind

    def __len__(self):
        return _library().consort_count(self._node._handle, self._index)

    def __getitem__(self, element):
        value = getattr(_library(), self._get)(self._node._handle, self._index, element)
        self._node._check()
        return value.decode() if self._kind is str else self._kind(value)

    def __setitem__(self, element, value):
        value = value.encode() if self._kind is str else self._kind(value)
        getattr(_library(), self._put)(self._node._handle, self._index, element, value)
        self._node._check()

    @property
    def value(self):
        return self[0]

    @value.setter
    def value(self, value):
        self[0] = value


class Node:
    """The place of this program in a run: iterating over it gives `(time, length)` of each step."""

    def __init__(self, component):
        self._handle = _library().consort_join(component.encode())
        self._state = None
        self._has_ended = False
        if not self._handle:
            raise ConsortError(_library().consort_error(None).decode())

    def variable(self, name, kind=float):
        """A variable by name; `kind` is `float`, `int`, `bool` or `str`."""
        return Variable(self, name, kind)

    def variables(self, *names):
        """Several variables that are real numbers."""
        return [self.variable(name) for name in names]

    def state(self, count):
        """Room for so many real numbers, which, with the outputs, is all that the program remembers between
        steps: they are saved and brought back whenever the run is."""
        self._state = (ctypes.c_double * count)()
        _library().consort_state(self._handle, self._state, ctypes.sizeof(self._state))
        return self._state

    @property
    def start(self):
        return _library().consort_start(self._handle)

    @property
    def stop(self):
        return _library().consort_stop(self._handle)

    def __iter__(self):
        time, length = ctypes.c_double(), ctypes.c_double()
        while True:
            more = _library().consort_next(self._handle, ctypes.byref(time), ctypes.byref(length))
            if more == 0:
                self._has_ended = True
                return
            self._check()
            yield time.value, length.value

    def fail(self, message):
        """The program cannot go on: the run ends with an error that says so."""
        _library().consort_fail(self._handle, message.encode())

    def leave(self):
        """Ends it all, also before the run's end."""
        handle, self._handle = self._handle, None
        if handle and _library().consort_leave(handle) != 0 and self._has_ended:
            raise ConsortError("the companion of this program did not end well")

    def _check(self):
        words = _library().consort_error(self._handle)
        if words:
            raise ConsortError(words.decode())

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None and self._handle:
            self.fail(f"{kind.__name__}: {error}")
        self.leave()


def join(component):
    """Takes the place of a component; use it in a `with` statement."""
    return Node(component)


_CALLS = {
    float: ("consort_get_at", "consort_put_at"),
    int: ("consort_get_whole", "consort_put_whole"),
    bool: ("consort_get_whole", "consort_put_whole"),
    str: ("consort_get_text", "consort_put_text"),
}

_loaded = None


def _library():
    global _loaded
    if _loaded is None:
        _loaded = _declared(ctypes.CDLL(str(_compiled())))
    return _loaded


def _compiled():
    files = [_SOURCE / "consort.c", _SOURCE / "consort.h"]
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


def _declared(library):
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
