"""What agents of pydantic-ai send is recorded, and a policy holds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

import pactctx

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pactctx.pydantic_ai import Calls


def seen_by(policy: Any, db: pactctx.AsyncDatabase, questions: int) -> Any:
    """Runs an agent, and returns what its model saw in each call."""
    seen: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(list(messages))
        number = len(seen)
        if number % 2:
            return ModelResponse(parts=[ToolCallPart("look", {"n": number}, tool_call_id=f"c{number}")])
        return ModelResponse(parts=[TextPart(f"answer {number}")])

    async def run() -> list[list[ModelMessage]]:
        calls = Calls("chat", db, policy=cast("pactctx.types.LifecyclePolicy", policy))
        agent = Agent(FunctionModel(model), instructions="Be brief.", capabilities=[ProcessHistory(calls)])

        @agent.tool_plain
        def look(n: int) -> str:
            return "z" * 3000

        history: list[ModelMessage] = []
        for n in range(questions):
            result = await agent.run(f"question {n}", message_history=history)
            history = result.all_messages()
        return seen

    return run()


def said(messages: list[ModelMessage]) -> list[str]:
    return [str(getattr(p, "content", p.part_kind)) for m in messages for p in m.parts]


def test_without_a_policy_nothing_changes(tmp_path: Path) -> None:
    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            seen = await seen_by(None, db, 2)
            assert said(seen[-1]) == [
                *("question 0", "tool-call", "z" * 3000, "answer 2"),
                *("question 1", "tool-call", "z" * 3000),
            ]
            chat = db.context("chat")
            assert [c["cycle"] for c in await chat.calls()] == [1, 2, 3, 4]
            thread = await chat.thread("openai", "@c4")
            assert thread[0] == {"role": "system", "content": "Be brief."}
            assert [m["content"] or "tool-call" for m in thread[1:]] == said(seen[-1])
            assert thread[2]["tool_calls"][0] == {
                "id": "c1",
                "type": "function",
                "function": {"name": "look", "arguments": '{"n": 1}'},
            }

    asyncio.run(run())


def test_the_policy_holds(tmp_path: Path) -> None:
    policy = {
        "rules": [
            {"select": ".block[kind='result']", "head": 100, "tail": 50},
            {"select": ".block[kind='result']", "ttl": 2, "stub": True},
        ],
        "max_turns": 3,
    }

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            seen = await seen_by(policy, db, 4)
            assert len(seen) == 8
            assert "question 0" in said(seen[2]) and "question 0" not in said(seen[-1])
            results = [s for s in said(seen[-1]) if s.startswith("z")]
            assert results and all(len(r) < 400 for r in results)
            chat = db.context("chat")
            assert [m["content"] or "tool-call" for m in (await chat.thread("openai", "@c8"))[1:]] == said(seen[-1])
            assert "question 0" in str(await chat.thread("openai", "@c1"))
            assert all(m.instructions == "Be brief." for m in seen[-1] if m.kind == "request")

    asyncio.run(run())
