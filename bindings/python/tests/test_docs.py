"""Every example of `docs/python.md` is run, each section by itself; results that it shows are compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "python.md").read_text()


def sections() -> list[tuple[str, str]]:
    """The Python code of each section."""
    parts = re.split(r"^## ", PAGE, flags=re.M)
    found = []
    for part in parts:
        code = re.findall(r"^```python\n(.*?)^```", part, flags=re.M | re.S)
        if code:
            found.append((part.splitlines()[0], "\n".join(code)))
    return found


def test_there_are_examples() -> None:
    assert 8 <= len(sections())


@pytest.mark.parametrize(("title", "code"), sections())
def test_an_example_runs(title: str, code: str, own_folder: Path) -> None:
    (own_folder / "examples").symlink_to(EXAMPLES)
    if "consort.join" in code:
        compile(code, title, "exec")
        return
    exec(compile(code, f"docs/python.md, {title}", "exec"), {"__name__": "example"})
