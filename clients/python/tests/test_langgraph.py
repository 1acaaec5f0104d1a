"""Graphs of LangGraph whose calls are recorded under a policy."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

import pactctx

pytest.importorskip("langgraph")

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from pactctx.langgraph import Calls


def test_a_model_is_sent_the_messages_that_it_was_given(tmp_path: Path) -> None:
    called = [
        {"name": "look", "args": {"at": "ü"}, "id": "c1"},
        {"name": "look", "args": {}, "id": "c2"},
    ]
    blocks: list[str | dict[str, Any]] = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c3", "name": "look", "input": {}},
    ]
    messages: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:x"}}]),
        AIMessage("", tool_calls=called),
        ToolMessage("found", tool_call_id="c1"),
        ToolMessage("not found", tool_call_id="c2", status="error"),
        AIMessage(blocks, tool_calls=[{"name": "look", "args": {}, "id": "c3"}]),
        ToolMessage("x", tool_call_id="c3"),
        AIMessage("It is there."),
    ]

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            calls = Calls("run", db)
            for end in range(1, len(messages) + 1):
                left = await calls(messages[:end])  # type: ignore[arg-type]
                assert all(a is b for a, b in itertools.zip_longest(left, messages[:end]))
            said = await db.context("run").thread("openai")
            assert [m["role"] for m in said if m["role"] != "system"][1:3] == ["assistant", "tool"]
            assert [c["id"] for m in said for c in m.get("tool_calls") or ()] == ["c1", "c2", "c3"]

    asyncio.run(run())


def test_the_policy_takes_calls_with_their_results(tmp_path: Path) -> None:
    texts = ["x" * 900, "y" * 900, "z" * 900]
    model = FakeMessagesListChatModel(
        responses=[
            *(AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": f"c{n}"}]) for n in range(3)),
            AIMessage("Done."),
        ]
    )
    sent: list[list[BaseMessage]] = []

    async def run() -> int:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            limits: pactctx.types.LifecyclePolicy = {"max_bytes": 1800, "protect_task": True}
            calls = Calls("run", db, policy=limits)

            async def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
                sent.append(await calls(state["messages"]))
                return {"messages": [await model.ainvoke(sent[-1])]}

            async def look(state: MessagesState) -> dict[str, list[BaseMessage]]:
                [call] = state["messages"][-1].tool_calls  # type: ignore[union-attr]
                return {"messages": [ToolMessage(texts.pop(), tool_call_id=call["id"] or "")]}

            graph = StateGraph(MessagesState)
            graph.add_node("answer", answer)
            graph.add_node("look", look)
            graph.add_edge(START, "answer")
            graph.add_conditional_edges(
                "answer", lambda state: "look" if state["messages"][-1].tool_calls else "__end__"
            )
            graph.add_edge("look", "answer")
            done = await graph.compile().ainvoke({"messages": [HumanMessage("Look.")]})
            assert len(await db.context("run").calls()) == 4
            return len(done["messages"])

    assert asyncio.run(run()) == 8, "the state of the graph keeps all"
    assert [m.content for m in sent[-1]][0] == "Look." and len(sent[-1]) < 7
    asked = [c["id"] for m in sent[-1] if isinstance(m, AIMessage) for c in m.tool_calls]
    assert asked == [m.tool_call_id for m in sent[-1] if isinstance(m, ToolMessage)] != []
