"""The session store of the Claude Agent SDK in PACT.

    store = SessionStore(pactctx.open_async("chat.db"), policy={"max_tokens": 100_000})
    options = ClaudeAgentOptions(session_store=store)

Each session is a context, each line of its transcript a block. With a policy, a session that is resumed has what the
policy left; the history keeps all.
"""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any, cast
from urllib.parse import quote, unquote
from uuid import NAMESPACE_URL, uuid5

from claude_agent_sdk import fold_session_summary
from claude_agent_sdk.types import (
    SessionKey,
    SessionListSubkeysKey,
    SessionStoreEntry,
    SessionStoreListEntry,
    SessionSummaryEntry,
)
from claude_agent_sdk.types import (
    SessionStore as _SessionStore,
)

from . import types
from ._async import AsyncDatabase
from ._blocks import Block, Held, at, put
from ._items import Items

_CONTENT = ("message", "content")


class _Form:
    """Lines of a transcript of Claude Code."""

    def plain(self, item: SessionStoreEntry) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(json.dumps(item)))

    def block(self, plain: dict[str, Any]) -> Block:
        role = at(plain, ("message", "role"))
        if role not in ("user", "assistant"):
            # A title, a mark, an attachment: Claude Code needs each as it is, so it stays, and no limit counts it.
            return Block("", str(plain.get("type", "entry")), content="", pinned=True)
        content = at(plain, _CONTENT)
        first = content[0] if isinstance(content, list) and len(content) == 1 else {}
        kind = first.get("type") if isinstance(first, dict) else None
        if kind == "tool_use":
            said: Any = {"name": first.get("name"), "arguments": json.dumps(first.get("input"))}
            return Block(role, "call", call=str(first.get("id", "")), content=said)
        if kind == "tool_result":
            where: tuple[str | int, ...] = (*_CONTENT, 0, "content")
            said = first.get("content")
            if isinstance(said, list) and len(said) == 1 and "text" in said[0]:
                where = (*where, 0, "text")
            return Block("tool", "result", text=where, call=str(first.get("tool_use_id", "")))
        if kind == "text":
            return Block(role, "text", text=(*_CONTENT, 0, "text"))
        return Block(
            role, "thinking" if kind == "thinking" else "text", text=() if isinstance(content, list) else _CONTENT
        )

    def with_text(self, item: SessionStoreEntry, text: str) -> SessionStoreEntry:
        plain = self.plain(item)
        return cast("SessionStoreEntry", put(plain, self.block(plain).text, text))

    def stand_in(self, text: str, role: str, call: str) -> SessionStoreEntry:
        content: Any = [{"type": "tool_result", "tool_use_id": call, "content": text}] if call else text
        role = "assistant" if role == "assistant" and not call else "user"
        return cast("SessionStoreEntry", {"type": role, "message": {"role": role, "content": content}})


class SessionStore(_SessionStore):
    """Sessions as contexts `PREFIX/PROJECT/SESSION`, those of sub-agents with one more part."""

    def __init__(
        self, db: AsyncDatabase, *, policy: types.LifecyclePolicy | str | None = None, prefix: str = "claude"
    ) -> None:
        self._db, self._policy, self._prefix = db, policy, prefix
        self._sessions: dict[str, Items[SessionStoreEntry]] = {}
        self._appending = asyncio.Lock()

    def name(self, *parts: str) -> str:
        """Returns the name of the context of a project, session and sub-agent, or the beginning of such names."""
        return "/".join([self._prefix, *(quote(p, safe="") for p in parts)])

    def _session(self, key: SessionKey | SessionListSubkeysKey) -> Items[SessionStoreEntry]:
        parts = [key["project_key"], key["session_id"], str(key.get("subpath") or "")]
        name = self.name(*(p for p in parts if p))
        if name not in self._sessions:
            self._sessions[name] = Items(self._db, name, _Form(), self._policy)
        return self._sessions[name]

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Adds lines; one whose uuid is there already is not added again."""
        await self._session(key).append(entries, unique="uuid")

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Returns the lines that are left, each after the one before it."""
        session = self._session(key)
        held = await session.held()
        return _joined(held, [session.item(h) for h in held]) if held else None

    async def _list(self, *parts: str) -> list[tuple[list[str], int]]:
        """Returns the names below these parts, each as its further parts, and when each changed, in ms."""
        found = []
        start = self.name(*parts) + "/"
        async for info in self._db.contexts(start, details=True):
            rest = [unquote(p) for p in info["name"][len(start) :].split("/")]
            found.append((rest, int(_time(info.get("changed", "")) * 1000)))
        return found

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Lists the sessions of a project."""
        found = await self._list(project_key)
        return [{"session_id": rest[0], "mtime": changed} for rest, changed in found if len(rest) == 1]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Returns what the SDK sums up of each session, made of its lines."""
        summaries = []
        for entry in await self.list_sessions(project_key):
            key: SessionKey = {"project_key": project_key, "session_id": entry["session_id"]}
            lines = await self.load(key) or []
            summary = fold_session_summary(None, key, lines)
            summaries.append(cast("SessionSummaryEntry", {**summary, "mtime": entry["mtime"]}))
        return summaries

    async def delete(self, key: SessionKey) -> None:
        """Deletes a session with those of its sub-agents, or that of one sub-agent."""
        main = self._session(key).context
        doomed = [main]
        if not key.get("subpath"):
            async for info in self._db.contexts(main.name + "/"):
                doomed.append(self._db.context(info["name"]))
        for context in doomed:
            if await context.exists():
                await context.delete()

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Lists the sub-agents of a session."""
        return [rest[0] for rest, _ in await self._list(key["project_key"], key["session_id"])]


def _joined(held: list[Held], entries: list[SessionStoreEntry]) -> list[SessionStoreEntry]:
    """Has each line follow one that is there, where a policy took away the one that it followed."""
    there = {e.get("uuid") for e in entries}
    spoken = [cast("dict[str, Any]", e) for h, e in zip(held, entries) if h.digest and e.get("uuid")]
    envelope = spoken[0] if spoken else {}
    before: str | None = None
    joined = []
    for block, entry in zip(held, entries):
        line = cast("dict[str, Any]", entry)
        if not block.digest:  # a stub, in the envelope of the line beside it
            line = {**{k: v for k, v in envelope.items() if k not in ("toolUseResult", "requestId")}, **line}
            line["uuid"] = str(uuid5(NAMESPACE_URL, f"{envelope.get('uuid')}/{block.node}"))
            line["parentUuid"] = before
        elif line.get("parentUuid") and line["parentUuid"] not in there:
            line = {**line, "parentUuid": before}
        if line.get("uuid"):
            envelope, before = line, line["uuid"]
        joined.append(cast("SessionStoreEntry", line))
    return joined


def _time(iso: str) -> float:
    """Returns seconds since 1970 of a time with up to nine digits of a second."""
    whole, _, rest = iso.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (rest or "0"))
