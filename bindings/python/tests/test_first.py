"""What a newcomer does first, and that Python, the library and the command line are one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import consort
from conftest import EXAMPLES, command_line, recorded_hash

TWELVE_LINES = """\
import consort

system = consort.System("masses", folder=FMUS)
system.add("left", "mass.fmu", {"x0": 1.0})
system.add("right", "mass.fmu", {"coupling_stiffness": 20.0})
system.connect("left.x", "right.other_x")
system.connect("left.v", "right.other_v")
system.connect("right.pull", "left.force")
result = consort.simulate(system, stop=20, step=0.01)
result.plot("left.x", "right.x", path="masses.svg")
print(result["left.x"][-1], result.to_pandas().shape)
print(result.trace_hash)
"""


def test_twelve_lines_couple_two_fmus_and_plot(fmus: Path) -> None:
    assert len([line for line in TWELVE_LINES.splitlines() if line]) <= 12
    program = f"FMUS = {str(fmus)!r}\n" + TWELVE_LINES
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value, digest = done.stdout.splitlines()
    assert abs(float(value.split()[0])) < 0.1 and digest.startswith("sha256:")
    assert "<svg" in Path("masses.svg").read_text()


@pytest.mark.parametrize("example", ["quickstart", "bouncing-ball", "spring-damper", "uav"])
def test_one_hash_by_python_record_and_command_line(example: str) -> None:
    stop = "5"
    command_line("run", EXAMPLES / example, "--stop", stop, "--out", "line")
    expected = recorded_hash(Path("line"))
    system = consort.System.load(EXAMPLES / example)
    assert consort.simulate(system, stop=stop).trace_hash == expected
    run = system.start(stop=stop)
    for _ in run.steps():
        pass
    assert run.is_over and run.trace_hash == expected
    assert system.run(stop=stop, out="record", local=True).trace_hash == expected


def test_a_system_built_in_code_is_that_of_its_file(fmus: Path) -> None:
    system = consort.System("masses", fmus).add("left", "mass.fmu", {"x0": 1.0}).add("right", "mass.fmu")
    system.connect("left.x", "right.other_x").connect("right.pull", "left.force", delay=True)
    (fmus / "system.toml").write_text(system.to_toml())
    expected = consort.simulate(system, stop=2, step=0.01).trace_hash
    command_line("run", fmus / "system.toml", "--stop", 2, "--step", "0.01", "--out", "line")
    assert recorded_hash(Path("line")) == expected
    assert system.components == {"left": "mass.fmu", "right": "mass.fmu"}


def test_parameters_inputs_and_what_is_recorded(fmus: Path) -> None:
    import pandas

    times = numpy.arange(0.0, 5.0, 0.5)
    columns = {"time": times, "tank.inflow": 0.01 + 0.001 * times}
    options = {"stop": 5, "step": 0.1, "parameters": {"area": 2.0, "initial_level": "80 cm"}}
    by_dict = consort.simulate(fmus / "tank.fmu", inputs=columns, record=["inflow"], **options)
    frame = pandas.DataFrame(columns).set_index("time")
    by_frame = consort.simulate(fmus / "tank.fmu", inputs=frame, record=["inflow"], **options)
    pandas.DataFrame(columns).to_csv("inputs.csv", index=False)
    by_file = consort.simulate(fmus / "tank.fmu", inputs="inputs.csv", record="inflow", **options)
    assert by_dict.trace_hash == by_frame.trace_hash == by_file.trace_hash
    assert by_dict["tank.level"][0] == 0.8
    assert "tank.inflow" in by_dict and by_dict["tank.inflow"][0] == 0.01
    assert by_dict.units["tank.level"] == "m"


def test_isolated_distributed_and_campaign_runs_work_from_python() -> None:
    system = consort.System.load(EXAMPLES / "quickstart")
    expected = consort.simulate(system, stop=10).trace_hash
    assert consort.simulate(system, stop=10, isolate=True).trace_hash == expected
    place = {"tank": "plant", "inflow": "plant", "controller": "control"}
    spread = system.run(stop=10, place=place, out="spread")
    assert spread.trace_hash == expected and spread.folder is not None
    assert len(spread) == len(consort.Result.load("spread")) == 101
    campaign = consort.explore(EXAMPLES / "tank-safety", limit=20, workers=1, out="campaign")
    assert campaign.answer in ("violated", "unknown") and (campaign.folder / "report.json").is_file()
