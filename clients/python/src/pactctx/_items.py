"""The items of a framework in a context: what the sessions of frameworks have in common.

Each item becomes one block outside of a core, so that a policy can take it away alone.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ._async import AsyncDatabase
from ._async_context import AsyncContext, AsyncSnapshot
from ._batch import Batch
from ._blocks import DIGEST, ITEM, Form, Held, at, digest, put, turns
from ._errors import Conflict, NotFound

if TYPE_CHECKING:
    from .types import LifecyclePolicy

    Policy = LifecyclePolicy | str  # limits and rules, or the name of a ready one

T = TypeVar("T")
R = TypeVar("R")
_INSTRUCTIONS = "instructions"
_TRIES = 20  # of a commit that other writers may keep from fitting


class _Lock:
    """A lock for tasks of several event loops: a framework may use one session from several threads."""

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()

    async def __aenter__(self) -> None:
        if self._process != os.getpid():  # a fork may copy a lock that a thread holds which it does not copy
            self._lock, self._process = threading.Lock(), os.getpid()
        while not self._lock.acquire(blocking=False):
            await asyncio.sleep(0.002)

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class Items(Generic[T]):
    """The items of one context."""

    def __init__(self, db: AsyncDatabase, name: str, form: Form[T], policy: Policy | None = None) -> None:
        self.context: AsyncContext = db.context(name)
        self._form = form
        self._policy = policy or {}
        self._limits: LifecyclePolicy | None = None
        self._lock = _Lock()
        self._digest = ""  # of the state that _held is of
        self._held: list[Held] = []
        self._instructions: str | None = None
        self._given: list[tuple[str, str]] = []  # digest and node of each item of the last request
        self._left: list[tuple[str, str]] = []  # the same of what send returned
        self._sent, self._after = ("", ""), ""  # address and digest of its snapshot, digest of the state after it

    async def _retried(self, work: Callable[[], Awaitable[R]]) -> R:
        async with self._lock:
            for tried in range(1, _TRIES + 1):
                try:
                    if not await self._look():
                        await self.context.db.create(self.context.name, exist_ok=True)
                        await self._look()
                    return await work()
                except Conflict:
                    if tried == _TRIES:
                        raise
            raise AssertionError("unreachable")

    async def _look(self) -> bool:
        """Reads the blocks, if they are others than at the last look, and reports whether there is a context."""
        try:
            working = (await self.context._get(at="working"))["state"]
        except NotFound:
            self._held, self._digest = [], ""
            return False
        self.context._cycle = working["cycle"] - 1
        if working["digest"] != self._digest:
            root = (await self.context._get("export", form="document", at="working"))["root"]
            self._held = list(turns(root))
            header = [n.get("content") for n in root["children"][0].get("children", ()) if n["id"] == _INSTRUCTIONS]
            self._instructions = header[0] if header else None
            self._digest = working["digest"]
        return True

    async def _remember(self) -> None:
        """Forgets the last request if its snapshot is no longer part of the history, as after an undo."""
        address, digest = self._sent
        if self._digest == self._after or not address:
            return
        try:
            gone = (await self.context._get(at=address))["state"]["digest"] != digest
        except NotFound:
            gone = True
        if gone:
            self._given, self._left = [], []

    async def held(self) -> list[Held]:
        """Returns the blocks that are there; none if there is no context."""
        async with self._lock:
            await self._look()
            return list(self._held)

    def item(self, held: Held) -> T:
        """Returns a block as an item, for a framework whose items are JSON."""
        if held.plain is None:
            return self._stand_in(held)
        where = self._form.block(held.plain).text
        return cast("T", put(held.plain, where, held.text) if where and at(held.plain, where) is None else held.plain)

    def _stand_in(self, held: Held) -> T:
        calls = {h.node: h.plain for h in self._held if h.plain}
        call = next((calls[c] for c in held.calls if c in calls), None)
        return self._form.stand_in(held.text, held.role, self._form.block(call).call if call else "")

    async def append(
        self, items: Sequence[T], gone: Sequence[str] = (), message: str | None = None, *, unique: str = ""
    ) -> None:
        """Adds items behind those that are there and takes blocks away, as one commit under the policy.

        With the name of a field as unique, an item is left out if another with the same value was added before.
        """

        async def work() -> None:
            batch = Batch()
            going, again = self._going(gone)
            self._add(batch, again + [i for i in items if not self._known(i, unique)], going)
            if batch.edits or going:
                await self._commit(batch, going, message)

        await self._retried(work)

    def _going(self, gone: Sequence[str]) -> tuple[list[str], list[T]]:
        """Returns what goes with some blocks, and what has to be added again: a turn goes whole if its core loses one."""
        whole = dict.fromkeys(h.turn for h in self._held if h.sealed and h.node in gone)
        going = [h.node for h in self._held if h.node in gone and h.turn not in whole]
        return going + list(whole), [self.item(h) for h in self._held if h.turn in whole and h.node not in gone]

    def _known(self, item: T, field: str) -> bool:
        """Reports whether an item with the same value of a field is there."""
        value = self._form.plain(item).get(field) if field else None
        return value is not None and any(h.plain and h.plain.get(field) == value for h in self._held)

    async def _commit(self, batch: Batch, gone: Sequence[str], message: str | None) -> AsyncSnapshot:
        for held in self._held:
            if held.node in gone and not held.turn:
                batch.remove(held.node)
        sealed = {node for h in self._held if h.turn for node in (h.node, h.turn)}
        gone = [node for node in gone if node in sealed]
        if self._limits is None:
            named = self._policy
            limits = await self.context.db.policy(named) if isinstance(named, str) else named
            # A framework may give a call before its result, so a call alone is no error. A policy takes both or none.
            self._limits = {"orphans": "keep", "whole_pairs": True, **limits}
        # What the framework took back goes alone and at once, whatever the policy protects.
        return await self.context.commit(edits=batch, rewrite=gone, policy=self._limits, message=message)

    def _add(self, batch: Batch, items: Sequence[T], gone: Sequence[str]) -> list[str]:
        """Adds items to a batch, and returns the ids of their blocks. A result refers to its call, unless that goes."""
        going, calls = set(gone), dict[str, str]()
        for held in self._held:
            stays = held.plain and not {held.node, held.turn} & going
            block = self._form.block(held.plain) if held.plain and stays else None
            if block and block.kind == "call" and block.call:
                calls[block.call] = held.node
        nodes = []
        for n, item in enumerate(items):
            plain = self._form.plain(item)
            block = self._form.block(plain)
            text = at(plain, block.text) if block.text else None
            attrs: dict[str, Any] = {DIGEST: digest(plain)}
            content: Any = plain
            if isinstance(text, str):
                content, attrs[ITEM] = text, put(plain, block.text, None)
            elif block.content is not None:
                content, attrs[ITEM] = block.content, plain
            if block.kind == "call" and block.call:
                attrs["wire:call"] = block.call
            node = f"item:{cast('int', self.context._cycle) + 1}-{n}"
            refs = [calls[block.call]] if block.kind == "result" and block.call in calls else None
            if block.kind == "call":
                calls[block.call] = node
            batch.add(
                content,
                role=block.role,
                kind=block.kind,
                offset=1,
                id=node,
                attrs=attrs,
                refs=refs,
                pinned=block.pinned,
            )
            nodes.append(node)
        return nodes

    async def send(self, items: Sequence[T], instructions: str | None = None) -> list[T]:
        """Records what a framework is about to send, as one commit under the policy, and returns what is left of it.

        The items continue those of the last request, or those that send returned then. What they do not continue goes.
        """

        async def work() -> list[T]:
            await self._remember()
            digests = [digest(self._form.plain(i)) for i in items]
            there = [(h.digest, h.node) for h in self._held if h.digest]
            known = max((_common(digests, base) for base in (self._given, self._left, there)), key=len)
            batch = Batch()
            stays = set(known)
            gone = [node for _, node in there if node not in stays]
            nodes = known + self._add(batch, items[len(known) :], gone)
            self._instruct(batch, instructions)
            snapshot = await self._commit(batch, gone, None)
            await self._look()
            self._sent, self._after = (snapshot.address, snapshot.digest), self._digest
            by_node = dict(zip(nodes, items))
            left = []
            for held in self._held:
                if held.node in by_node:
                    item = by_node[held.node]
                    item = self._form.with_text(item, held.text) if held.shaped else item
                else:
                    item = self._stand_in(held)
                left.append((item, held.node))
            self._given = list(zip(digests, nodes))
            self._left = [(digest(self._form.plain(item)), node) for item, node in left]
            return [item for item, _ in left]

        return await self._retried(work)

    def _instruct(self, batch: Batch, instructions: str | None) -> None:
        """Has the header say what the framework sends as instructions."""
        if self._instructions is None and instructions:
            batch.add(instructions, into="^sys", role="system", id=_INSTRUCTIONS)
        elif self._instructions is not None and self._instructions != (instructions or ""):
            batch.update(_INSTRUCTIONS, content=instructions or "")


def _common(digests: list[str], base: list[tuple[str, str]]) -> list[str]:
    """Returns the nodes of the longest common beginning."""
    nodes = []
    for mine, (theirs, node) in zip(digests, base):
        if mine != theirs:
            break
        nodes.append(node)
    return nodes
