"""What graphs of LangGraph send, recorded in PACT under a policy.

    calls = Calls("chat", pactctx.open_async("chat.db"), policy="agent")

    async def answer(state: MessagesState):
        return {"messages": [await model.ainvoke(await calls(state["messages"]))]}

Each call of the model is a cycle of the context, each message and each call of a tool a block. The state of the graph
keeps all messages; the model is sent what the policy leaves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from . import types
from ._async import AsyncDatabase
from ._blocks import Block
from ._items import Items

_ROLES = {"ai": "assistant", "system": "system"}


@dataclass
class _Part:
    """A call of a tool, or a message without its calls."""

    message: BaseMessage
    call: ToolCall | None
    given: BaseMessage | None
    """The message as the graph gave it; None for one that stands for what a policy took."""


def _parts(message: BaseMessage) -> list[_Part]:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    rest = [_Part(message, None, message)] if _content(message, ()) or not calls else []
    return rest + [_Part(message, call, message) for call in calls]


def _content(message: BaseMessage, calls: Sequence[str]) -> Any:
    """Returns the content with these calls, which some providers write there too, and no others."""
    content: Any = message.content
    if isinstance(content, str):
        return content
    return [c for c in content if isinstance(c, str) or c.get("type") != "tool_use" or c.get("id") in calls]


class _Form:
    """Parts of messages."""

    def plain(self, item: _Part) -> dict[str, Any]:
        if item.call is not None:
            plain: dict[str, Any] = {"type": "call", "id": item.call["id"], "name": item.call["name"]}
            plain["args"] = item.call["args"]
        else:
            plain = {"type": item.message.type, "content": _content(item.message, ())}
            if isinstance(item.message, ToolMessage):
                plain |= {"tool_call_id": item.message.tool_call_id, "status": item.message.status}
        return json.loads(json.dumps(plain))  # type: ignore[no-any-return]

    def block(self, plain: dict[str, Any]) -> Block:
        kind = plain["type"]
        if kind == "call":
            said = {"name": plain["name"], "arguments": json.dumps(plain["args"])}
            return Block("assistant", "call", call=str(plain["id"] or ""), content=said)
        if kind == "tool":
            return Block("tool", "result", text=("content",), call=plain["tool_call_id"])
        return Block(_ROLES.get(kind, "user"), "text", text=("content",))

    def with_text(self, item: _Part, text: str) -> _Part:
        return replace(item, message=item.message.model_copy(update={"content": text}))

    def stand_in(self, text: str, role: str, call: str) -> _Part:
        if call:
            return _Part(ToolMessage(text, tool_call_id=call), None, None)
        return _Part(AIMessage(text) if role == "assistant" else HumanMessage(text), None, None)


class Calls:
    """Records each call before it is sent, and has a policy hold. Each conversation needs its own."""

    def __init__(self, name: str, db: AsyncDatabase, *, policy: types.LifecyclePolicy | str | None = None) -> None:
        self._items: Items[_Part] = Items(db, name, _Form(), policy)

    async def __call__(self, messages: Sequence[AnyMessage]) -> list[BaseMessage]:
        """Returns what is left of the messages that a model is about to be sent."""
        return _joined(await self._items.send([part for message in messages for part in _parts(message)]))


def _joined(left: Sequence[_Part]) -> list[BaseMessage]:
    """Puts parts together to messages again. A message of which nothing went is the one that was given."""
    made: list[list[_Part]] = []
    for part in left:
        if made and part.given is not None and part.given is made[-1][-1].given:
            made[-1].append(part)
        else:
            made.append([part])
    return [_message(parts) for parts in made]


def _message(parts: Sequence[_Part]) -> BaseMessage:
    first = parts[0]
    given = first.given
    if given is None or not isinstance(given, AIMessage):
        return first.message
    calls = [part.call for part in parts if part.call is not None]
    if first.message is given and len(parts) == len(_parts(given)):
        return given
    content = "" if first.call is not None else _content(first.message, [c["id"] or "" for c in calls])
    return given.model_copy(update={"content": content, "tool_calls": calls})
