"""Sixty misuses end in a readable exception: none ends the interpreter, none is a bug of ours."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import consort
from conftest import EXAMPLES

QUICKSTART = EXAMPLES / "quickstart"


def system() -> consort.System:
    return consort.System.load(QUICKSTART)


def run(**options: Any) -> consort.Run:
    return system().start(**options)


def result() -> consort.Result:
    return consort.simulate(QUICKSTART, stop=1)


def built() -> consort.System:
    return consort.System("built").add("a", "native:sine").add("b", "native:gain")


def finished() -> consort.Run:
    made = run(stop=1)
    made.finish()
    return made


def other_handle() -> consort.Handle:
    return built().start(stop=1, step=0.1).handle("a.y")


def text_file(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text)
    return path


def assign(key: Any, value: Any) -> None:
    run()[key] = value


MISUSES: list[tuple[str, Callable[[], Any], str]] = [
    # Loading.
    ("a path that is not there", lambda: consort.simulate("nowhere"), "nowhere"),
    ("a path that is no text", lambda: consort.simulate(7), "int"),  # type: ignore[arg-type]
    ("nothing at all", lambda: consort.simulate(None), "NoneType"),  # type: ignore[arg-type]
    ("an empty path", lambda: consort.simulate(""), ""),
    ("a folder without a system", lambda: consort.simulate("."), "system"),
    ("text that is no TOML", lambda: consort.simulate(text_file("system.toml", "]=[")), "toml"),
    ("an FMU that is no archive", lambda: consort.simulate(text_file("x.fmu", "text")), "x.fmu"),
    ("equations that are none", lambda: consort.simulate(text_file("x.eq", "model x\n y = \nend")), "x.eq"),
    ("a zero byte in a path", lambda: consort.simulate("a\0b"), ""),
    ("a block that is not there", lambda: consort.simulate("native:nothing"), "nothing"),
    ("a path of bytes", lambda: consort.System.load(b"quickstart"), ""),  # type: ignore[arg-type]
    ("a variant of what has none", lambda: consort.System.load(QUICKSTART, variant="b.ssd").start(), "variant"),
    # Building.
    ("a name twice", lambda: built().add("a", "native:sine").start(stop=1, step=0.1), "`a`"),
    ("a bad name", lambda: built().add("a.b", "native:sine").start(stop=1, step=0.1), "a.b"),
    ("an unknown source", lambda: built().connect("c.y", "b.u").start(stop=1, step=0.1), "`c`"),
    ("an unknown target", lambda: built().connect("a.y", "b.q").start(stop=1, step=0.1), "`q`"),
    ("an input as source", lambda: built().connect("b.u", "a.y").start(stop=1, step=0.1), "b.u"),
    ("a connection of no variable", lambda: built().connect("a", "b").start(stop=1, step=0.1), "`a`"),
    ("a parameter of nothing", lambda: built().set("c.k", 1), "`c`"),
    ("a parameter without a component", lambda: built().set("k", 1), "`k`"),
    ("an unknown parameter", lambda: built().set("b.q", 1).start(stop=1, step=0.1), "`q`"),
    ("a value that is none", lambda: built().set("b.k", object()), "object"),
    ("a text for a number", lambda: built().set("b.k", "often").start(stop=1, step=0.1), "often"),
    ("no stop time", lambda: built().start(step=0.1), "stop"),
    ("adding to what was loaded", lambda: system().add("x", "native:sine"), "loaded"),
    ("writing what was loaded", lambda: system().to_toml(), "loaded"),
    # Options.
    ("an unknown option", lambda: run(stopp=5), "stopp"),
    ("a stop that is no time", lambda: run(stop="soon"), "soon"),
    ("a stop that is no number", lambda: run(stop=float("nan")), "nan"),
    ("a stop that is infinite", lambda: run(stop=float("inf")), "inf"),
    ("a stop before the start", lambda: run(start=5, stop=1), "stop"),
    ("a negative step", lambda: run(step=-1), "step"),
    ("a step of zero", lambda: run(step=0), "step"),
    ("an unknown order", lambda: run(order="random"), "random"),
    ("an order that is a number", lambda: run(order=3), "order"),
    ("an unknown solver", lambda: run(solver="magic"), "magic"),
    ("a seed that is a text", lambda: run(seed="x"), "seed"),
    ("a negative seed", lambda: run(seed=-1), "-1"),
    ("no workers", lambda: run(workers=0), "worker"),
    ("no time for calls", lambda: run(call_limit=-1), "call_limit"),
    ("parameters as a list", lambda: run(parameters=[("a", 1)]), "mapping"),
    ("an unknown parameter of a component", lambda: run(parameters={"tank.q": 1}), "`q`"),
    ("a pattern that matches nothing", lambda: run(record=["nothing.*"]), "nothing"),
    ("inputs without a time", lambda: run(inputs={"tank.inflow": [1.0]}), "time"),
    ("inputs of several lengths", lambda: run(inputs={"time": [0, 1], "x": [1]}), "length"),
    ("inputs that are a number", lambda: run(inputs=5), "inputs"),
    ("a file of inputs that is not there", lambda: run(inputs="no.csv"), "no.csv"),
    # Running.
    ("an unknown variable", lambda: run()["tank.levle"], "levle"),
    ("a variable without a component", lambda: run()["level"], "level"),
    ("a variable by number", lambda: run()[3], "component.variable"),  # type: ignore[index]
    ("setting an output", lambda: assign("tank.level", 1.0), "tank.level"),
    ("setting a text", lambda: assign("controller.setpoint", "high"), "controller.setpoint"),
    ("setting nothing", lambda: assign("controller.setpoint", None), "controller.setpoint"),
    ("setting too many", lambda: assign("controller.setpoint", [1.0, 2.0]), "controller.setpoint"),
    ("advancing to no time", lambda: run().advance(float("nan")), "run::bad-time"),
    ("advancing to a text", lambda: run().advance("end"), ""),  # type: ignore[arg-type]
    ("a finished run", lambda: finished().advance(5.0), "run::closed"),
    ("reading a finished run", lambda: finished()["tank.level"], "run::closed"),
    ("finishing twice", lambda: finished().finish(), "run::closed"),
    ("a handle of another system", lambda: run()[other_handle()], "another system"),
    ("handles that are texts", lambda: run().read(["tank.level"]), "handle"),  # type: ignore[list-item]
    ("an array that is too short", lambda: (made := run()).read([made.handle("tank.level")], numpy.zeros(3)), "1 number"),
    (
        "an array of another type",
        lambda: (made := run()).read([made.handle("tank.level")], numpy.zeros(1, dtype="int32")),
        "",
    ),
    (
        "an array that cannot be written",
        lambda: (made := run()).read([made.handle("tank.level")], numpy.broadcast_to(0.0, 1)),
        "",
    ),
    ("a snapshot of another system", lambda: run(saved=True).restore(built().start(stop=1, step=0.1).save()), ""),
    ("a snapshot that is a number", lambda: run().restore(5), ""),  # type: ignore[arg-type]
    ("a file that is no snapshot", lambda: system().resume(text_file("x.snapshot", "x")), "x.snapshot"),
    # Results.
    ("an unknown column", lambda: result()["tank.levle"], "tank.level"),
    ("a plot of nothing", lambda: result().plot("nothing.*"), "nothing"),
    ("an unknown picture", lambda: result().plot(path="picture.jpeg"), "jpeg"),
    ("a picture in no folder", lambda: result().plot(path="no/folder/x.svg"), "no/folder"),
    ("rows in an unknown form", lambda: result().save("rows.xlsx"), "rows.xlsx"),
    ("a result that is not there", lambda: consort.Result.load("nowhere"), "nowhere"),
    ("rows that were not kept", lambda: consort.simulate(QUICKSTART, stop=1, keep_rows=False).times, "keep_rows"),
    # Records and campaigns.
    ("a place for nobody", lambda: system().run(place={"nobody": "a"}, out="x"), "nobody"),
    ("an unknown link", lambda: system().run(place={"tank": "a"}, link="pigeon", out="x"), "pigeon"),
    ("a campaign that is not there", lambda: consort.explore("nowhere"), "nowhere"),
    ("a campaign that is a system", lambda: consort.explore(QUICKSTART), "campaign"),
    ("an unknown name", lambda: consort.simulatte, "simulatte"),
]


def test_there_are_sixty() -> None:
    assert 60 <= len(MISUSES)
    assert len({name for name, _, _ in MISUSES}) == len(MISUSES)


@pytest.mark.parametrize(("misuse", "named"), [pytest.param(call, text, id=name) for name, call, text in MISUSES])
def test_a_misuse_is_a_readable_exception(misuse: Callable[[], Any], named: str) -> None:
    with pytest.raises(Exception) as raised:
        misuse()
    error = raised.value
    assert not isinstance(error, consort.BugError), error
    assert type(error).__name__ != "PanicException", error
    text = str(error)
    assert named.lower() in text.lower() and 5 < len(text), text
    if isinstance(error, consort.ConsortError) and not isinstance(error, consort.TraceError):
        assert error.diagnostics or isinstance(error, consort.CancelledError), text
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == text and again.diagnostics == error.diagnostics


def test_an_exception_has_every_diagnostic_with_its_place() -> None:
    text = (QUICKSTART / "system.toml").read_text()
    text = text.replace('model = "tank"', f'model = "{QUICKSTART}/tank"')
    path = text_file("system.toml", text.replace("tank.level", "tank.levle").replace("kp = -4.0", "kq = -4.0"))
    with pytest.raises(consort.LoadError) as raised:
        consort.simulate(path)
    found = raised.value.diagnostics
    assert {each.code for each in found} == {"system::unknown-variable"} and 2 <= len(found)
    first = next(each for each in found if "levle" in each.message)
    assert first.severity == "error" and first.file == "system.toml" and first.line is not None
    assert first.help is not None and "level" in first.help
    assert str(raised.value).startswith("error[system::unknown-variable]")
    assert "system.toml:" in str(raised.value)
