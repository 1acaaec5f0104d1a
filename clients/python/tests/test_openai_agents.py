"""Sessions of the OpenAI Agents SDK, its compaction, and what its agents send."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

import pactctx

pytest.importorskip("agents")

import openai
from agents import (
    Agent,
    OpenAIResponsesCompactionSession,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    TResponseInputItem,
    function_tool,
    set_tracing_disabled,
)

from pactctx.openai_agents import Calls, Session

set_tracing_disabled(True)


class Provider(ThreadingHTTPServer):
    """A stand-in for the Responses API: it answers odd requests with a call of the tool, and even ones with words."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.inputs: list[list[dict[str, Any]]] = []
        self.compacted: list[list[dict[str, Any]]] = []


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.server.inputs) + 1
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        answer: dict[str, Any] = {"id": f"r{number}", "created_at": 0, "model": "gpt-x", "usage": {**usage, **details}}
        if self.path.endswith("/compact"):
            self.server.compacted.append(asked["input"])
            output: dict[str, Any] = {"type": "compaction", "id": "cmp", "encrypted_content": "sealed"}
            answer["object"] = "response.compaction"
        else:
            self.server.inputs.append(asked["input"])
            if number % 2:
                output = {"type": "function_call", "id": f"f{number}", "call_id": f"call{number}", "name": "look"}
                output |= {"arguments": "{}", "status": "completed"}
            else:
                said = {"type": "output_text", "text": f"answer {number}", "annotations": []}
                output = {"type": "message", "id": f"m{number}", "role": "assistant", "content": [said]}
                output["status"] = "completed"
            answer |= {"object": "response", "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        data = json.dumps({**answer, "output": [output]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def client(provider: Provider) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{provider.server_port}/v1", api_key="none")


def agent(provider: Provider) -> Agent[Any]:
    @function_tool
    def look() -> str:
        """Looks."""
        return "z" * 3000

    return Agent(
        "helper", instructions="Be brief.", model=OpenAIResponsesModel("gpt-x", client(provider)), tools=[look]
    )


def words(n: int) -> TResponseInputItem:
    return {"role": "user", "content": f"message {n}"}


def test_a_session_gives_back_what_it_was_given(tmp_path: Path) -> None:
    items = cast(
        "list[TResponseInputItem]",
        [
            {"role": "user", "content": "hi"},
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:x"}],
            },
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
            {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": "found"},
            {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "no call"}]},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "ok", "annotations": []}],
            },
            {"type": "something_new", "value": {"deep": [1, 2.5, None, "ü"]}},
        ],
    )

    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            session = Session("s", db)
            assert await session.get_items() == [] and await session.pop_item() is None
            await session.add_items(items[:5])
            await session.add_items(items[5:])
            assert await Session("s", db).get_items() == items
            assert await session.get_items(2) == items[-2:]
            for n in reversed(range(3, 8)):
                assert await session.pop_item() == items[n]
            assert await session.get_items() == items[:3]
            await session.clear_session()
            assert await session.get_items() == []
            assert len(await db.context("s").thread("canonical", "@c2")) == 8, "the history keeps what was cleared"

    asyncio.run(run())


def test_a_session_takes_back_and_clears_notes_of_others(tmp_path: Path) -> None:
    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            session = Session("s", db)

            async def note(*texts: str) -> None:
                async with db.context("s").edit() as batch:
                    for text in texts:
                        batch.add(text, role="user")

            async def left() -> list[Any]:
                return [cast("dict[str, Any]", i)["content"] for i in await session.get_items()]

            await session.add_items([words(1)])
            await note("a", "b")
            await session.add_items([words(2)])  # which seals the notes in a core, where nothing goes alone
            assert await left() == ["message 1", "a", "b", "message 2"]
            assert await session.pop_item() == words(2)
            popped = await session.pop_item()
            assert popped and popped.get("content") == "b" and await left() == ["message 1", "a"]
            await note("c")
            popped = await session.pop_item()  # it stands in the active head
            assert popped and popped.get("content") == "c" and await left() == ["message 1", "a"]
            await note("d")
            await session.add_items([words(3)])
            await note("e")
            await session.clear_session()
            assert await left() == [] and await session.pop_item() is None

    asyncio.run(run())


def test_one_session_in_many_threads_loses_nothing(tmp_path: Path) -> None:
    db = pactctx.open_async(tmp_path / "a.db")
    sessions = [Session("s", db), Session("s", db)]
    with ThreadPoolExecutor(6) as pool:
        chosen = itertools.cycle(sessions)
        list(pool.map(lambda n: asyncio.run(next(chosen).add_items([words(n)])), range(12)))
    got = asyncio.run(sessions[0].get_items())
    assert sorted(str(i.get("content")) for i in got) == sorted(f"message {n}" for n in range(12))
    asyncio.run(db.close())


def test_runs_are_recorded_and_the_policy_holds(tmp_path: Path, provider: Provider) -> None:
    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            rules = [{"select": ".block[kind='result'][bytes>1000]", "head": 100, "tail": 50}]
            policy = cast("pactctx.types.LifecyclePolicy", {"rules": rules})
            config = RunConfig(call_model_input_filter=Calls("chat", db, policy=policy))
            session = Session("chat", db)
            for n in range(3):
                result = await Runner.run(agent(provider), f"question {n}", session=session, run_config=config)
            assert result.final_output == "answer 6"
            stored = await session.get_items()
            assert len(stored) == 12 and stored[2]["output"] == "z" * 3000  # type: ignore[typeddict-item]
            context = db.context("chat/helper")
            calls = await context.calls()
            assert [c["cycle"] for c in calls] == [1, 2, 3, 4, 5, 6]
            assert all("cut" not in c for c in calls), "each call repeats all of the one before"
            for cycle, sent in enumerate(provider.inputs, 1):
                recorded = (await context.thread("responses", f"@c{cycle}"))["input"]
                assert recorded[0] == {"role": "system", "content": "Be brief."}
                assert [_said(i) for i in recorded[1:]] == [_said(i) for i in sent]
            outputs = [i["output"] for i in provider.inputs[-1] if i.get("type") == "function_call_output"]
            assert len(outputs) == 3 and all(len(o) < 400 for o in outputs)

    asyncio.run(run())


def _said(item: dict[str, Any]) -> Any:
    """Returns what a model reads of an item, in whichever of its forms it is written."""
    if item.get("type") == "function_call":
        return (item["call_id"], item["name"], item["arguments"])
    if item.get("type") == "function_call_output":
        return (item["call_id"], item["output"])
    content = item["content"]
    return (item["role"], content if isinstance(content, str) else "".join(part["text"] for part in content))


def test_compaction_is_a_commit_that_the_history_shows(tmp_path: Path, provider: Provider) -> None:
    async def run() -> None:
        async with pactctx.open_async(tmp_path / "a.db") as db:
            under = Session("chat", db)
            session = OpenAIResponsesCompactionSession(
                "chat", under, client=client(provider), model="gpt-4.1", should_trigger_compaction=lambda _: False
            )
            await Runner.run(agent(provider), "question", session=session)
            before = await under.get_items()
            await session.run_compaction({"force": True, "compaction_mode": "input"})
            assert len(provider.compacted) == 1 and len(provider.compacted[0]) == len(before) == 4
            after = await under.get_items()
            assert [i.get("type") for i in after] == ["compaction"]
            chat = db.context("chat")
            last = await chat.refresh()
            assert len(await chat.thread("canonical", f"@c{last - 2}")) == 4, (
                "what was compacted is still there to read"
            )

    asyncio.run(run())
