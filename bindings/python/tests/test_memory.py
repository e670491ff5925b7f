"""Two thousand runs in one interpreter: memory stays where it is."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import pytest

import consort
from conftest import EXAMPLES, resident

RUNS, WARM = 2000, 200
ALLOWED = 5 * 1024 * 1024


def native(_: int) -> None:
    system = consort.System("native").add("a", "native:sine").add("b", "native:integrator").connect("a.y", "b.u")
    consort.simulate(system, stop=10, step=0.01).to_numpy()


def in_process(_: int) -> None:
    consort.simulate(EXAMPLES / "quickstart", stop=10).to_arrow()


def isolated(_: int) -> None:
    consort.simulate(EXAMPLES / "quickstart", stop=1, isolate=True)


def failing(number: int) -> None:
    with pytest.raises(consort.ConsortError):
        if number % 2:
            consort.simulate(EXAMPLES / "quickstart", parameters={"tank.nothing": 1})
        else:
            consort.simulate(EXAMPLES / "quickstart", stop=1)["nothing"]


def cancelled(_: int) -> None:
    system = consort.System("long").add("a", "native:sine").add("b", "native:integrator").connect("a.y", "b.u")
    run = system.start(step=1e-5, stop=1e6)
    timer = threading.Timer(0.01, run.cancel)
    timer.start()
    with pytest.raises(consort.CancelledError):
        run.advance_to_end()
    timer.join()
    run.close()


def snapshots(_: int) -> None:
    run = consort.System.load(EXAMPLES / "quickstart").start(stop=5, saved=True)
    run.advance(1)
    saved, branch = run.save(), run.branch()
    branch.advance_to_end()
    run.restore(saved)
    run.close()


def test_memory_does_not_grow() -> None:
    kinds: list[Callable[[int], None]] = [native, in_process, isolated, failing, cancelled, snapshots]
    before = 0
    for number in range(RUNS):
        if number == WARM:
            gc.collect()
            before = resident()
        kinds[number % len(kinds)](number // len(kinds))
    gc.collect()
    grown = resident() - before
    print(f"\nmemory: {grown / 2**20:+.2f} MiB from run {WARM} to run {RUNS}")
    assert grown <= ALLOWED
