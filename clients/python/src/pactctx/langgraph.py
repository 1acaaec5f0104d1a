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
# The types of parts of a content that are calls, each with where it has the id of the call.
_CALLS = {"tool_use": "id", "tool_call": "id", "function_call": "call_id", "custom_tool_call": "call_id"}


@dataclass
class _Part:
    """A call of a tool, or a message without its calls."""

    message: BaseMessage
    call: ToolCall | None
    given: BaseMessage | None
    """The message as the graph gave it; None for one that stands for what a policy took."""

    place: int = -1
    """Which message it is of those that the graph gave."""


def _parts(message: BaseMessage, place: int = -1) -> list[_Part]:
    calls = _calls(message)
    rest = [_Part(message, None, message, place)] if _content(message, _ids(calls)) or not calls else []
    return rest + [_Part(message, call, message, place) for call in calls]


def _ids(calls: Sequence[ToolCall]) -> list[str | None]:
    return [call["id"] for call in calls]


def _calls(message: BaseMessage) -> Sequence[ToolCall]:
    return message.tool_calls if isinstance(message, AIMessage) else ()


def _content(message: BaseMessage, gone: Sequence[str | None]) -> Any:
    """Returns the content without these calls, which some providers write there too."""
    content: Any = message.content
    if isinstance(content, str):
        return content

    def stays(part: Any) -> bool:
        where = None if isinstance(part, str) else _CALLS.get(part.get("type"))
        return where is None or part.get(where) not in gone

    return [part for part in content if stays(part)]


def _additional(message: BaseMessage, gone: Sequence[str | None]) -> dict[str, Any]:
    """Returns what a provider wrote besides the content, without these calls."""
    written = dict(message.additional_kwargs)
    if calls := written.pop("tool_calls", None):
        if left := [call for call in calls if call.get("id") not in gone]:
            written["tool_calls"] = left
    stays = {call["id"] not in gone for call in _calls(message) if call["name"] == _function(written)}
    if stays == {False}:
        del written["function_call"]
    return written


def _function(written: dict[str, Any]) -> str | None:
    """Returns the name of the call in the field that had one before calls had ids, None without it."""
    call = written.get("function_call")
    return call.get("name") if isinstance(call, dict) else None


class _Form:
    """Parts of messages."""

    def plain(self, item: _Part) -> dict[str, Any]:
        if item.call is not None:
            plain: dict[str, Any] = {"type": "call", "id": item.call["id"], "name": item.call["name"]}
            plain["args"] = item.call["args"]
        else:
            plain = {"type": item.message.type, "content": _content(item.message, _ids(_calls(item.message)))}
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
        parts = [part for place, message in enumerate(messages) for part in _parts(message, place)]
        return _joined(await self._items.send(parts))


def _joined(left: Sequence[_Part]) -> list[BaseMessage]:
    """Puts parts together to messages again. A message of which nothing went is the one that was given."""
    made: list[list[_Part]] = []
    for part in left:
        if made and made[-1][-1].place == part.place >= 0:
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
    left = _ids(calls)
    gone = [call for call in _ids(given.tool_calls) if call not in left]
    content = "" if first.call is not None else _content(first.message, gone)
    additional = _additional(given, gone)
    return given.model_copy(update={"content": content, "tool_calls": calls, "additional_kwargs": additional})
