"""Campaigns: many scenarios of a system, explored by worker processes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _native
from ._program import provide

__all__ = ["CampaignResult", "explore"]


class CampaignResult:
    """What a campaign came to."""

    def __init__(self, about: dict[str, Any]) -> None:
        #: The name of the campaign.
        self.name: str = about["name"]
        #: `holds`, `violated` or `unknown`.
        self.answer: str = about["answer"]
        #: `concluded`, `stopped` or `out of time`.
        self.ending: str = about["ending"]
        #: Everything, as in `report.json`.
        self.report: dict[str, Any] = about["report"]
        #: The folder of journal, report and counter-examples.
        self.folder = Path(about["folder"])

    @property
    def counter_examples(self) -> list[dict[str, Any]]:
        """The scenarios that violate a property."""
        return list(self.report.get("counter_examples", []))

    def __repr__(self) -> str:
        return f"<consort.CampaignResult {self.name}: {self.answer}>"


def explore(
    campaign: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    time: float | None = None,
    seed: int | None = None,
    limit: int | None = None,
    memory: int | None = None,
    verify_share: float | None = None,
) -> CampaignResult:
    """Explores the scenarios of a campaign: a `campaign.toml`, or a folder with one. The options are those of `consort
    explore`; the report is in the folder `out` (`out/NAME-campaign` without one)."""
    provide()
    options = {
        "out": None if out is None else os.fspath(out),
        "resume": None if resume is None else os.fspath(resume),
        "workers": workers,
        "time": time,
        "seed": seed,
        "limit": limit,
        "memory": memory,
        "verify_share": verify_share,
    }
    about = _native.explore(Path(campaign), json.dumps(options))
    return CampaignResult(json.loads(about))
