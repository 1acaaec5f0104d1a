"""What the documents show runs: the page on Python, the README and each cell of the tour."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent


@pytest.mark.parametrize("page", ["docs/python.md", "clients/python/README.md"])
def test_blocks_of_a_page_run(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "repair.jsonl").write_bytes((ROOT / "examples/conversations/repair.jsonl").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    text = (ROOT / page).read_text()
    blocks = [(text[: m.start()].count("\n") + 2, m[1]) for m in re.finditer(r"```python\n(.*?)```", text, re.S)]
    assert blocks
    for line, block in blocks * 2:  # on the same file
        if "claude_agent" in block:
            pytest.importorskip("claude_agent_sdk")
        if "langgraph" in block:
            pytest.importorskip("langgraph")
        if "openai_agents" in block:
            pytest.importorskip("agents")
        if "pydantic_ai" in block:
            pytest.importorskip("pydantic_ai")
        exec(compile("\n" * (line - 1) + block, page, "exec"), names)


def test_cells_of_the_tour_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cell ends with what a notebook would show; what can show itself as HTML has to do so. All run again."""
    tour = json.loads((HERE / "tour.ipynb").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PACT_EXAMPLES", str(ROOT / "examples/conversations"))
    names: dict[str, Any] = {}
    shown = []
    for cell in tour["cells"] * 2:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], "the tour is kept without outputs"
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "tour", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "tour", "eval"), names)
            show = getattr(value, "_repr_html_", None)
            shown.append(show() if show else repr(value))
    assert sum("<svg" in s for s in shown) >= 4 and sum("<table>" in s for s in shown) >= 2
