"""Results as tables: without a copy."""

from __future__ import annotations

from pathlib import Path

import numpy
import pandas
import polars
import pyarrow
import pytest

import consort
from conftest import EXAMPLES


@pytest.fixture(scope="module")
def result() -> consort.Result:
    return consort.simulate(EXAMPLES / "quickstart")


def test_numbers_are_not_copied(result: consort.Result) -> None:
    def addresses(name: str) -> set[int]:
        tables = [pyarrow.table(result), result.to_arrow()]
        found = {table[name].chunk(0).buffers()[1].address for table in tables}
        arrays = [result[name] if name != "time" else result.times, result.to_numpy()[name]]
        found |= {array.__array_interface__["data"][0] for array in arrays}
        frame = result.to_polars()[name].to_arrow()
        return found | {frame.buffers()[1].address}

    for name in ["time", "tank.level", "controller.u"]:
        assert len(addresses(name)) == 1, name
    level = result.to_pandas()["tank.level"].to_numpy()
    assert numpy.shares_memory(level, result["tank.level"])


def test_every_reader_sees_the_same(result: consort.Result) -> None:
    level = result["tank.level"]
    assert len(result) == len(level) == len(result.times) == 601
    assert result.times[-1] == 60.0
    assert result.columns == ["inflow.y", "controller.u", "tank.level", "tank.outflow"]
    assert result.to_arrow()["tank.level"].to_pylist() == level.tolist()
    assert result.to_polars()["tank.level"].to_list() == level.tolist()
    assert result.to_pandas()["tank.level"].tolist() == level.tolist()
    assert result.to_arrow().schema.field("tank.level").metadata == {b"unit": b"m"}
    assert not level.flags.writeable


def test_memory_outlives_the_result() -> None:
    result = consort.simulate(EXAMPLES / "quickstart", stop=5)
    level, table, expected = result["tank.level"], result.to_arrow(), result["tank.level"].tolist()
    del result
    for _ in range(3):
        consort.simulate(EXAMPLES / "quickstart", stop=5)
    assert level.tolist() == table["tank.level"].to_pylist() == expected


def test_streams_that_are_not_taken_are_released(result: consort.Result) -> None:
    for _ in range(1000):
        result.__arrow_c_stream__()


def test_arrays_are_columns_of_lists() -> None:
    result = consort.simulate(EXAMPLES / "feedthrough-chain" / "fmi3.toml", stop=1)
    output = result["federate1.y"]
    assert output.shape == (len(result), 2)
    assert result.to_arrow()["federate1.y"].to_pylist() == output.tolist()
    assert result.to_polars()["federate1.y"].to_list() == output.tolist()
    frame = result.to_pandas()
    assert frame["federate1.y[2]"].tolist() == output[:, 1].tolist()


def test_truths() -> None:
    result = consort.simulate(EXAMPLES / "feedthrough-chain" / "fmi3.toml", stop=1)
    truths = result["federate1.reactive"]
    assert truths.dtype == bool and truths.all()
    assert result.to_arrow()["federate1.reactive"].to_pylist() == truths.tolist()


@pytest.mark.parametrize("ending", ["parquet", "csv", "mcap"])
def test_rows_are_saved_and_read_back(result: consort.Result, ending: str) -> None:
    result.save(f"rows.{ending}")
    if ending != "mcap":
        again = consort.Result.load(f"rows.{ending}")
        assert again["tank.level"].tolist() == result["tank.level"].tolist()
    if ending == "parquet":
        frame = pandas.read_parquet("rows.parquet")
        assert frame["tank.level"].tolist() == result["tank.level"].tolist()


@pytest.mark.parametrize("ending", ["svg", "png", "html", "txt"])
def test_pictures(result: consort.Result, ending: str) -> None:
    assert result.plot("tank.*", path=f"picture.{ending}") is None
    assert Path(f"picture.{ending}").stat().st_size > 500
    shown = result.plot(format="svg")
    assert shown is not None and shown._repr_svg_() is not None and shown._repr_png_() is None


def test_polars_and_pandas_frames_have_every_row(result: consort.Result) -> None:
    assert isinstance(result.to_polars(), polars.DataFrame)
    assert result.to_polars().shape == (601, 5)
    assert result.to_pandas().shape == (601, 4)
