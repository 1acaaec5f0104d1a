"""What the tests share: a database with a server of its own, and the conversations of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pactctx

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "conversations"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Has what a test or a document names without a folder stand in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[pactctx.Database]:
    with pactctx.open(tmp_path / "test.db") as opened:
        yield opened


@pytest.fixture
def repair(db: pactctx.Database) -> pactctx.Context:
    [context] = db.load(EXAMPLES / "repair.jsonl", "repair", form="history")
    return context
