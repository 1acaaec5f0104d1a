"""Sessions of the OpenAI Agents SDK in PACT, and what its agents send, recorded under a policy.

    db = pactctx.open_async("chat.db")
    session = Session("chat", db)
    config = RunConfig(call_model_input_filter=Calls("chat", db, policy={"max_tokens": 50_000}))
    result = await Runner.run(agent, "Hello", session=session, run_config=config)

A session keeps what the SDK gives it, in the context of its name. `Calls` has a cycle for each call of a model, in the
context `NAME/AGENT`: its snapshots are what was sent.
"""

from __future__ import annotations

import json
from typing import Any, cast

from agents import SessionABC, TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, ModelInputData

from . import types
from ._async import AsyncDatabase
from ._blocks import Block, put
from ._items import Items

_RESULTS = {"function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output"}


class _Form:
    """Input items of the Responses API."""

    def plain(self, item: TResponseInputItem) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(json.dumps(item)))

    def block(self, plain: dict[str, Any]) -> Block:
        kind = plain.get("type", "message")
        call = str(plain.get("call_id") or "")
        if kind in _RESULTS:
            return Block("tool", "result", text=("output",), call=call)
        if kind.endswith("_call") and call:
            said = {"name": plain.get("name", kind), "arguments": plain.get("arguments", "")}
            return Block("assistant", "call", call=call, content=said)
        if kind == "message":
            role = plain.get("role", "user")
            content = plain.get("content")
            one = isinstance(content, list) and len(content) == 1 and "text" in content[0]
            return Block(
                "system" if role == "developer" else role, "text", text=("content", 0, "text") if one else ("content",)
            )
        return Block("assistant", "reasoning" if kind == "reasoning" else kind)

    def with_text(self, item: TResponseInputItem, text: str) -> TResponseInputItem:
        plain = self.plain(item)
        return cast("TResponseInputItem", put(plain, self.block(plain).text, text))

    def stand_in(self, text: str, role: str, call: str) -> TResponseInputItem:
        if call:
            return {"type": "function_call_output", "call_id": call, "output": text}
        return cast(
            "TResponseInputItem", {"role": role if role in ("user", "assistant", "system") else "user", "content": text}
        )


class Session(SessionABC):
    """The history of a conversation. With a policy, what the policy takes is no longer given to the agent."""

    def __init__(
        self,
        session_id: str,
        db: AsyncDatabase,
        *,
        policy: types.LifecyclePolicy | str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._items: Items[TResponseInputItem] = Items(db, session_id, _Form(), policy)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the items, the latest ones with a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = [self._items.item(h) for h in await self._items.held()]
        return items if limit is None else items[-limit:] if limit > 0 else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items, as one commit."""
        if items:
            await self._items.append(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes the latest item and returns it. Its history keeps it."""
        held = await self._items.held()
        if not held:
            return None
        item = self._items.item(held[-1])
        await self._items.append([], [held[-1].node], "the session took back its latest item")
        return item

    async def clear_session(self) -> None:
        """Removes all items. The history keeps them; `pactctx.Context.erase` and `delete` do not."""
        held = await self._items.held()
        if held:
            await self._items.append([], [h.node for h in held], "the session was cleared")


class Calls:
    """A `call_model_input_filter` that records each call before it is sent, and has a policy hold."""

    def __init__(self, name: str, db: AsyncDatabase, *, policy: types.LifecyclePolicy | str | None = None) -> None:
        self._name, self._db, self._policy = name, db, policy
        self._agents: dict[str, Items[TResponseInputItem]] = {}

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        sent = data.model_data
        agent = data.agent.name
        if agent not in self._agents:
            self._agents[agent] = Items(self._db, f"{self._name}/{agent}", _Form(), self._policy)
        left = await self._agents[agent].send(sent.input, sent.instructions)
        return ModelInputData(input=left, instructions=sent.instructions)
