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


def test_a_call_goes_from_every_place_where_a_provider_writes_it(tmp_path: Path) -> None:
    forms: dict[str, dict[str, Any]] = {
        "c0": {"type": "tool_use", "id": "c0", "name": "look", "input": {}},
        "c1": {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"},
        "c2": {"type": "custom_tool_call", "id": "ctc_2", "call_id": "c2", "name": "look", "input": ""},
        "c3": {"type": "tool_call", "id": "c3", "name": "look", "args": {}},
    }
    said = {"type": "text", "text": "I look."}
    limits: pactctx.types.LifecyclePolicy = {
        "max_bytes": 1200,
        "rules": [{"select": ".block[kind='text']", "keep": True}],
    }

    async def run(ids: list[str]) -> list[BaseMessage]:
        function = {"name": "look", "arguments": "{}"}
        asked = AIMessage(
            [said, *(forms[c] for c in ids)],
            tool_calls=[{"name": "look", "args": {}, "id": c} for c in ids],
            additional_kwargs={"tool_calls": [{"id": c, "function": function} for c in ids], "other": 1},
        )
        results = [ToolMessage(c * 400, tool_call_id=c) for c in ids]
        async with pactctx.open_async(tmp_path / f"{ids[-1]}.db") as db:
            messages: list[Any] = [HumanMessage("Look."), asked, *results]
            return await Calls("run", db, policy=limits)(messages)

    for stays in forms:
        [_, made, result] = asyncio.run(run([i for i in forms if i != stays] + [stays]))
        assert isinstance(made, AIMessage) and isinstance(result, ToolMessage)
        assert [c["id"] for c in made.tool_calls] == [result.tool_call_id] == [stays]
        assert made.content == [said, forms[stays]]
        written = made.additional_kwargs
        assert [c["id"] for c in written["tool_calls"]] == [stays] and written["other"] == 1


def test_a_call_without_an_id_goes_with_the_call_of_its_name(tmp_path: Path) -> None:
    names = ["look", "read"]
    limits: pactctx.types.LifecyclePolicy = {"max_bytes": 900}

    async def run(written: str) -> AIMessage:
        asked = AIMessage(
            "I look.",
            tool_calls=[{"name": name, "args": {}, "id": name} for name in names],
            additional_kwargs={"function_call": {"name": written, "arguments": "{}"}, "other": 1},
        )
        results = [ToolMessage(name * 100, tool_call_id=name) for name in names]
        async with pactctx.open_async(tmp_path / f"{written}.db") as db:
            left = await Calls("run", db, policy=limits)([HumanMessage("Look."), asked, *results])
            [made] = [m for m in left if isinstance(m, AIMessage)]
            return made

    for written, stays in {"look": False, "read": True, "other": True}.items():
        made = asyncio.run(run(written))
        assert [c["name"] for c in made.tool_calls] == ["read"]
        assert ("function_call" in made.additional_kwargs) is stays and made.additional_kwargs["other"] == 1


def test_a_message_that_is_given_twice_is_sent_twice(tmp_path: Path) -> None:
    again, look = HumanMessage("Go on."), AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c1"}])

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            messages: list[Any] = [again, again, look, ToolMessage("found", tool_call_id="c1")]
            left = await Calls("run", db)(messages)
            assert all(a is b for a, b in itertools.zip_longest(left, messages))

    asyncio.run(run())
