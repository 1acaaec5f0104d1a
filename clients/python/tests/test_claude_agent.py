"""The session store of the Claude Agent SDK: its own conformance suite, and a policy."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any, cast

import pytest

import pactctx

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk.testing import run_session_store_conformance
from claude_agent_sdk.types import SessionKey, SessionStoreEntry

from pactctx.claude_agent import SessionStore

KEY: SessionKey = {"project_key": "-home-ada-work", "session_id": "s1"}


def line(n: int, role: str, content: Any) -> SessionStoreEntry:
    about = {"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s1", "cwd": "/home/ada/work"}
    return cast("SessionStoreEntry", {"type": role, "message": {"role": role, "content": content}, **about})


def turn(n: int, size: int) -> list[SessionStoreEntry]:
    """Returns a question, a call, its result of so many bytes, and an answer."""
    call = {"type": "tool_use", "id": f"call{n}", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": f"call{n}", "content": "x" * size}
    first = 4 * n
    return [
        line(first, "user", f"question {n}"),
        line(first + 1, "assistant", [call]),
        line(first + 2, "user", [result]),
        line(first + 3, "assistant", [{"type": "text", "text": f"answer {n}"}]),
    ]


def test_every_contract_of_the_sdk(tmp_path: Path) -> None:
    async def run() -> int:
        numbers = itertools.count()
        async with pactctx.open_async(tmp_path / "a.db") as db:
            await run_session_store_conformance(lambda: SessionStore(db, prefix=f"claude{next(numbers)}"))
        return next(numbers)

    assert asyncio.run(run()) > 10, "a store for each contract"


def test_lines_come_back_and_none_comes_twice(tmp_path: Path) -> None:
    title = cast("SessionStoreEntry", {"type": "custom-title", "customTitle": "Grüezi \U0001f600", "n": [1, 2.5]})
    lines = [*turn(0, 30), title, *turn(1, 40)]

    async def run() -> list[Any]:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            store = SessionStore(db)
            await store.append(KEY, lines[:5])
            await store.append(KEY, lines[2:4] + lines[5:])
            loaded = await SessionStore(db).load(KEY)
            [name] = [c["name"] async for c in db.contexts()]
            calls = await db.context(name).select("@t0 .block[kind='result'][tool='Bash']")
            return [loaded, name, len(calls)]

    assert asyncio.run(run()) == [lines, "claude/-home-ada-work/s1", 2]


def test_a_resumed_session_has_what_the_policy_left(tmp_path: Path) -> None:
    policy: pactctx.types.LifecyclePolicy = {
        "rules": [{"select": ".block[kind='result'][bytes>1000]", "head": 100, "tail": 50}],
        "max_turns": 2,
        "stub": "[earlier lines were left out]",
    }

    async def run() -> tuple[list[dict[str, Any]], int]:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            store = SessionStore(db, policy=policy)
            for n in range(4):
                await store.append(KEY, turn(n, 5000))
            loaded = await store.load(KEY)
            all_of_it = await db.context("claude/-home-ada-work/s1").thread("canonical", "@c1")
            return cast("list[dict[str, Any]]", loaded), len(all_of_it)

    lines, first = asyncio.run(run())
    assert first == 4, "the history keeps what the policy took later"
    said = [at["message"]["content"] for at in lines]
    assert said[0] == "[earlier lines were left out]"
    assert said[1] == "question 2" and said[-1][0]["text"] == "answer 3"
    results = [c[0]["content"] for c in said if isinstance(c, list) and c[0]["type"] == "tool_result"]
    assert len(results) == 2 and all(r.startswith("x" * 100) and len(r) < 400 for r in results)
    assert [at["parentUuid"] for at in lines] == [None, *(at["uuid"] for at in lines[:-1])], "one chain"
    assert all(at["sessionId"] == "s1" for at in lines)


def test_what_claude_code_keeps_for_itself_stays(tmp_path: Path) -> None:
    mark = cast("SessionStoreEntry", {"type": "attachment", "attachment": "y" * 5000})
    lines = [mark, *turn(0, 30), *turn(1, 40)]

    async def run() -> Any:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            store = SessionStore(db, policy={"max_bytes": 4000})
            for n in range(len(lines)):
                await store.append(KEY, lines[n : n + 1])
            everything = await store.load(KEY)
            store = SessionStore(db, policy={"max_bytes": 800})
            await store.append(KEY, turn(2, 40))
            return everything, await store.load(KEY)

    everything, left = asyncio.run(run())
    assert everything == lines, "the limit does not count the mark"
    assert mark in left and lines[1] not in left
