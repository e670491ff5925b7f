"""Runs that Python drives."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy
import pytest

import consort
from conftest import EXAMPLES, command_line

QUICKSTART = EXAMPLES / "quickstart"


def quickstart(**options: object) -> consort.Run:
    return consort.System.load(QUICKSTART).start(**options)


def test_a_run_is_advanced_looked_at_and_interfered_with() -> None:
    with quickstart() as run:
        assert run.time == 0 and run.stop_time == 60 and not run.is_over
        assert run.advance(10.0) and run.time == 10
        before = run["tank.level"]
        run["controller.setpoint"] = 2.0
        assert run["controller.setpoint"] == 2.0
        assert run.step() and run.time == pytest.approx(10.1)
        assert run["tank.level"] != before
        assert not run.advance_to_end() and run.is_over
    with pytest.raises(consort.RunError, match="run::closed"):
        run.advance(1.0)


def test_values_are_read_and_written_in_batches() -> None:
    run = quickstart()
    names = ["tank.level", "tank.outflow", "controller.u", "inflow.y"]
    handles, out = run.handles(names), numpy.zeros(4)
    setpoint = run.handle("controller.setpoint")
    run.advance(5.0)
    assert run.read(handles, out=out) is out
    assert run.read(handles) == out.tolist() == [run[name] for name in names]
    assert run.read([run.handle(name) for name in names], out=numpy.zeros(4)).tolist() == out.tolist()
    run.write([setpoint], numpy.array([1.5]))
    assert run[setpoint] == 1.5
    run.write([setpoint], [1.25])
    assert run["controller.setpoint"] == 1.25
    assert len(handles) == handles.count == 4 and handles.paths == names


def test_a_run_is_saved_restored_and_branched() -> None:
    expected = consort.simulate(QUICKSTART).trace_hash
    run = quickstart(saved=True)
    run.advance(20)
    snapshot, branch = run.save(), run.branch()
    run["controller.setpoint"] = 3.0
    assert run.advance_to_end() is False and run.trace_hash != expected
    run.restore(snapshot)
    assert run.time == snapshot.time == 20
    run.advance_to_end()
    branch.advance_to_end()
    assert run.trace_hash == branch.trace_hash == expected
    assert len(run.finish()) == len(branch.finish()) == 601


def test_a_run_is_saved_to_a_file_and_resumed_also_by_the_command_line() -> None:
    system = consort.System.load(QUICKSTART)
    expected = consort.simulate(system).trace_hash
    with system.start(saved=True) as run:
        run.advance(30)
        run.save_to_file("half.snapshot")
    resumed = system.resume("half.snapshot")
    assert resumed.time == 30
    resumed.advance_to_end()
    assert resumed.trace_hash == expected
    command_line("run", QUICKSTART, "--resume", "half.snapshot", "--out", "line")
    assert consort.Result.load("line").trace_hash == expected


def test_two_threads_run_side_by_side_and_the_lock_is_free() -> None:
    counted = 0
    done = threading.Event()

    def work() -> None:
        consort.simulate(long_system(), stop=1, step=1e-6, keep_rows=False)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 5


def long_system() -> consort.System:
    system = consort.System("long").add("wave", "native:sine").add("sum", "native:integrator")
    return system.connect("wave.y", "sum.u")


@pytest.mark.parametrize("isolate", [False, True])
def test_a_run_is_cancelled_from_another_thread_and_continues(isolate: bool) -> None:
    run = long_system().start(step=1e-6, stop=1e6, keep_rows=False, isolate=isolate)
    threading.Timer(0.3, run.cancel).start()
    began = time.monotonic()
    with pytest.raises(consort.CancelledError):
        run.advance_to_end()
    assert time.monotonic() - began < 5
    now = run.time
    run.advance(now + 0.001)
    assert run.time > now


def test_ctrl_c_cancels_and_the_run_continues() -> None:
    run = long_system().start(step=1e-6, stop=1e6, keep_rows=False)
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        run.advance_to_end()
    now = run.time
    run.advance(now + 0.001)
    assert run.time > now


def test_ctrl_c_ends_a_recorded_run(tmp_path: Path) -> None:
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        long_system().run(step=1e-6, stop=1e6, no_record=True, out=tmp_path / "cut")


def test_arrays_texts_and_truths_are_values() -> None:
    run = consort.System.load(EXAMPLES / "feedthrough-chain" / "fmi3.toml").start(stop=1)
    run.advance(0.5)
    output = run["federate1.y"]
    assert isinstance(output, list) and len(output) == 2
    handle = run.handle("federate1.y")
    assert handle.count == 2 and run.read([handle]) == output
    assert run["federate1.reactive"] is True


def test_a_fork_has_threads_of_its_own() -> None:
    import multiprocessing

    consort.simulate(QUICKSTART, stop=1)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        digest = pool.apply_async(_hash).get(60)
    assert digest == _hash()


def _hash() -> str:
    return consort.simulate(QUICKSTART, stop=1).trace_hash
