"""Whatever a framework sends, in whichever order, the context has it as it was sent and gives it back."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any, cast

import pytest

import pactctx
from pactctx._blocks import Block
from pactctx._items import Items


class Form:
    """Items with a text, and calls with results."""

    def plain(self, item: dict[str, Any]) -> dict[str, Any]:
        return dict(item)

    def block(self, plain: dict[str, Any]) -> Block:
        call = plain.get("call", "")
        if plain["kind"] == "call":
            return Block("assistant", "call", call=call, content={"name": "tool", "arguments": "{}"})
        return Block("tool" if call else plain["role"], plain["kind"], text=("said",), call=call)

    def with_text(self, item: dict[str, Any], text: str) -> dict[str, Any]:
        return {**item, "said": text}

    def stand_in(self, text: str, role: str, call: str) -> dict[str, Any]:
        return {"kind": "result" if call else "text", "role": role, "said": text, **({"call": call} if call else {})}


def grown(draw: random.Random, items: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """Returns what a framework might send next: more, less, or something else."""
    items = list(items)
    if items and draw.random() < 0.2:
        del items[draw.randrange(len(items)) :]
    if items and draw.random() < 0.2:
        items[draw.randrange(len(items))] = {"kind": "text", "role": "user", "said": f"instead {number}"}
    if draw.random() < 0.5:
        items.append({"kind": "call", "role": "assistant", "call": f"c{number}"})
        items.append(
            {"kind": "result", "role": "tool", "call": f"c{number}", "said": draw.choice(["", "ü\n", "x" * 900])}
        )
    for _ in range(draw.randrange(3)):
        role = draw.choice(["user", "assistant"])
        items.append({"kind": "text", "role": role, "said": draw.choice(["again", f"new {number}", "<[stub]>"])})
    return items


# It protects much and leaves stubs, but its limit is far: it takes nothing of what a framework sends.
FAR: pactctx.types.LifecyclePolicy = {"max_turns": 1000, "protect_turns": 9, "whole_pairs": True, "stub": "[gone]"}


@pytest.mark.parametrize(("seed", "policy"), [(0, None), (1, None), (0, FAR), (2, FAR)])
def test_what_is_sent_is_what_is_there(
    tmp_path: Path, seed: int, policy: pactctx.types.LifecyclePolicy | None
) -> None:
    draw = random.Random(seed)

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            items: Items[dict[str, Any]] = Items(db, "run", Form(), policy)
            sent: list[list[dict[str, Any]]] = []
            for number in range(15):
                sent.append(grown(draw, sent[-1] if sent else [], number))
                if draw.random() < 0.3:
                    items = Items(db, "run", Form(), policy)  # the program was started again
                instructions = draw.choice([None, "short", "long"])
                assert await items.send(sent[-1], instructions) == sent[-1]
                header = [m["content"] for m in await db.context("run").thread("canonical") if m["role"] == "system"]
                assert [h for h in header if h] == ([instructions] if instructions else [])
            for cycle, was in enumerate(sent, 1):  # and each call is there as it was sent
                thread = await db.context("run").thread("canonical", f"@c{cycle}")
                said = [m.get("content") for m in thread if m["role"] != "system"]
                assert said == [i.get("said", {"name": "tool", "arguments": "{}"}) for i in was]

    asyncio.run(run())


def test_a_run_goes_on_after_undo_and_in_a_fork(tmp_path: Path) -> None:
    said = [{"kind": "text", "role": "user", "said": f"message {n}"} for n in range(6)]

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            items: Items[dict[str, Any]] = Items(db, "run", Form())
            await items.send(said[:2])
            await items.send(said[:4])
            await items.context.fork("fork", "@c1")
            undone = await items.context.undo()
            assert await items.send(said[:3]) == said[:3]
            assert await Items(db, "fork", Form()).send(said) == said
            assert len(await undone.thread("canonical")) == 4
            note = db.context("run")
            async with note.edit() as batch:
                batch.add("A note of the user.", role="user")
            assert [i["said"] for i in await items.send(said[:5])][3] == "A note of the user."

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(4))
def test_a_policy_leaves_pairs_and_an_order(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rules = [{"select": ".block[kind='result'][bytes>500]", "head": 20, "tail": 10}]
    policy = cast("pactctx.types.LifecyclePolicy", {"rules": rules, "max_bytes": 1500})

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            items: Items[dict[str, Any]] = Items(db, "run", Form(), policy)
            sent: list[dict[str, Any]] = []
            for number in range(20):
                sent = grown(draw, sent, number)
                left = await items.send(sent)
                calls = [i["call"] for i in left if i["kind"] == "call"]
                assert calls == [i["call"] for i in left if i["kind"] == "result"] or not _paired(sent)
                assert all(len(i.get("said", "")) < 500 for i in left)
                rest = iter(sent)
                assert all(any(_same(i, s) for s in rest) for i in left), "a subsequence of what was sent"
                if draw.random() < 0.3:
                    sent = left  # a framework that goes on from what the policy left

    asyncio.run(run())


def _paired(items: list[dict[str, Any]]) -> bool:
    """Reports whether each call has its result, which a framework that cuts anywhere need not keep."""
    calls = [i["call"] for i in items if i["kind"] == "call"]
    return calls == [i["call"] for i in items if i["kind"] == "result"]


def _same(left: dict[str, Any], sent: dict[str, Any]) -> bool:
    return {**left, "said": 0} == {**sent, "said": 0} and (
        left.get("said") == sent.get("said") or len(sent["said"]) > 500
    )
