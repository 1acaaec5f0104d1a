"""What agents of pydantic-ai send, recorded in PACT under a policy.

    calls = Calls("chat", pactctx.open_async("chat.db"), policy={"max_tokens": 50_000})
    agent = Agent("openai:gpt-5", capabilities=[ProcessHistory(calls)])

Each call of the model is a cycle of the context, each part of a message a block. What the policy takes leaves the
history of the agent; the context keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from . import types
from ._async import AsyncDatabase
from ._blocks import Block
from ._items import Items

_TIMES = ("timestamp", "run_id", "conversation_id", "metadata")


@dataclass
class _Part:
    """A part of a message; `message` is None for one that stands for what a policy took."""

    part: Any
    message: ModelMessage | None


class _Form:
    """Parts of messages."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}
        """The names of the tools that were called, by the ids of the calls."""

    def plain(self, item: _Part) -> dict[str, Any]:
        response = isinstance(item.part, TextPart) if item.message is None else isinstance(item.message, ModelResponse)
        alone: ModelMessage = ModelResponse(parts=[item.part]) if response else ModelRequest(parts=[item.part])
        [message] = ModelMessagesTypeAdapter.dump_python([alone], mode="json")
        return {k: v for k, v in message["parts"][0].items() if k not in _TIMES}

    def block(self, plain: dict[str, Any]) -> Block:
        kind, call = plain["part_kind"], str(plain.get("tool_call_id") or "")
        if kind == "tool-call":
            args = plain["args"]
            said = {"name": plain["tool_name"], "arguments": args if isinstance(args, str) else json.dumps(args)}
            return Block("assistant", "call", call=call, content=said)
        if kind == "tool-return" or kind == "retry-prompt" and plain.get("tool_name"):
            return Block("tool", "result", text=("content",), call=call)
        if kind in ("user-prompt", "retry-prompt"):
            return Block("user", "text", text=("content",))
        if kind == "system-prompt":
            return Block("system", "text", text=("content",))
        return Block("assistant", kind, text=("content",))

    def with_text(self, item: _Part, text: str) -> _Part:
        return replace(item, part=replace(item.part, content=text))

    def stand_in(self, text: str, role: str, call: str) -> _Part:
        if call:
            return _Part(ToolReturnPart(tool_name=self.tools.get(call, ""), content=text, tool_call_id=call), None)
        return _Part(TextPart(text) if role == "assistant" else UserPromptPart(text), None)


class Calls:
    """The processor of a `ProcessHistory`: it records each call before it is sent, and has a policy hold."""

    def __init__(self, name: str, db: AsyncDatabase, *, policy: types.LifecyclePolicy | str | None = None) -> None:
        self._form = _Form()
        self._items: Items[_Part] = Items(db, name, self._form, policy)

    async def __call__(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        parts = [_Part(part, message) for message in messages for part in message.parts]
        for part in parts:
            if hasattr(part.part, "tool_name"):
                self._form.tools[part.part.tool_call_id] = part.part.tool_name
        instructions = [m.instructions for m in messages if isinstance(m, ModelRequest) and m.instructions]
        left = await self._items.send(parts, instructions[-1] if instructions else None)
        return _messages(left, messages)


def _messages(left: Sequence[_Part], messages: list[ModelMessage]) -> list[ModelMessage]:
    """Puts parts together to messages again; the last one stays, for it carries what the framework sends with it."""
    made: list[ModelMessage] = []
    last: object = None
    for part in left:
        if part.message is not None and part.message is last:
            made[-1] = _with(made[-1], [*made[-1].parts, part.part])
        elif part.message is not None:
            made.append(_with(part.message, [part.part]))
        else:
            made.append(
                ModelResponse(parts=[part.part]) if isinstance(part.part, TextPart) else ModelRequest(parts=[part.part])
            )
        last = part.message
    if messages and (not made or last is not messages[-1]):
        made.append(_with(messages[-1], []))
    return made


def _with(message: ModelMessage, parts: Sequence[Any]) -> ModelMessage:
    return cast("ModelMessage", replace(cast("Any", message), parts=list(parts)))
