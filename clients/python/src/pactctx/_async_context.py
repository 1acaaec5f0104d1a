"""The front end: contexts and snapshots."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from ._batch import Batch
from ._errors import NotFound
from ._show import Picture, blocks_html
from ._transport import path

if TYPE_CHECKING:
    from . import types
    from ._async import AsyncDatabase


class AsyncContext:
    """A conversation: a tree, its history and the working state.

    An edit and a commit build on the last cycle that this object knows. If others have committed since, they raise
    `Conflict`; `refresh()` looks again.
    """

    def __init__(self, db: AsyncDatabase, name: str) -> None:
        self.db, self.name = db, name
        self._cycle: int | None = None

    def __repr__(self) -> str:
        return f"<pactctx context {self.name!r}>"

    async def _get(self, *parts: str, **query: Any) -> Any:
        return await self.db._ask("GET", path("contexts", self.name, *parts), query)

    async def _change(self, part: str, body: Mapping[str, Any]) -> Any:
        """Sends a change with a key, so that it is made once even if its answer is lost and it is sent again."""
        body = {k: v for k, v in body.items() if v is not None}
        key = {"Idempotency-Key": uuid.uuid4().hex}
        return await self.db._ask("POST", path("contexts", self.name, part), None, body, key)

    async def info(self) -> types.ContextInfo:
        """Returns its cycles and its revision."""
        return cast("types.ContextInfo", await self._get())

    async def exists(self) -> bool:
        """Reports whether there is a context of this name."""
        try:
            await self.info()
        except NotFound:
            return False
        return True

    async def refresh(self) -> int:
        """Looks which cycle is the last, and returns it."""
        self._cycle = (await self.info())["last_cycle"]
        return self._cycle

    async def _known(self) -> int:
        return await self.refresh() if self._cycle is None else self._cycle

    def edit(self, *, message: str | None = None, actor: str | None = None) -> AsyncEditing:
        """Begins a batch of edits, which is sent as the `with` block ends: all of them or none."""
        return AsyncEditing(self, message, actor)

    async def apply(
        self, edits: Sequence[types.Edit], *, message: str | None = None, actor: str | None = None
    ) -> types.Edited:
        """Makes edits in the form of the API."""
        body = {"cycle": await self._known(), "edits": list(edits), "message": message, "actor": actor}
        return cast("types.Edited", await self._change("edits", body))

    async def commit(
        self,
        *,
        policy: types.LifecyclePolicy | str | None = None,
        select: Sequence[str] = (),
        ids: Sequence[str] = (),
        rewrite: Sequence[str] = (),
        edits: Batch | Sequence[types.Edit] = (),
        message: str | None = None,
        actor: str | None = None,
    ) -> AsyncSnapshot:
        """Ends the cycle: what is expired and what the policy takes goes, the rest is sealed and can be sent.

        A policy is limits and rules, or the name of a ready one. Without it that of the context holds. select and ids
        say what goes besides, rewrite what the conversation replaces. The edits become part of the commit.
        """
        pruning = _pruning(policy, select, ids, rewrite)
        edits = edits.edits if isinstance(edits, Batch) else list(edits)
        body = {
            "cycle": await self._known(),
            "edits": edits or None,
            "pruning": pruning,
            "message": message,
            "actor": actor,
        }
        made = await self._change("commits", body)
        self._cycle = made["cycle"]
        return AsyncSnapshot(self, made["cycle"], made)

    async def plan(
        self,
        *,
        policy: types.LifecyclePolicy | str | None = None,
        select: Sequence[str] = (),
        ids: Sequence[str] = (),
        at: str | int | None = None,
        unit: Literal["bytes", "tokens"] = "bytes",
    ) -> types.InspectPrunePlan:
        """Says what a commit would remove, and what of the provider's cache that costs. Nothing changes."""
        asked = {"at": None if at is None else address(at), "unit": unit}
        where = path("contexts", self.name, "plan")
        plan = await self.db._ask("POST", where, asked, _pruning(policy, select, ids) or {})
        return cast("types.InspectPrunePlan", plan)

    async def simulate(
        self,
        policies: Iterable[str | types.SimulatedPolicy] = (),
        *,
        model: str | None = None,
        calls: bool | None = None,
        prices: types.RecordPrices | None = None,
        dialect: str | None = None,
        tokenizer: str | None = None,
        when: Literal["now", "pays", "cold"] | None = None,
    ) -> types.SimulateResult:
        """Says what the run would have sent and cost under policies, each a ready one or a name with a policy.

        calls adds each call; the others are those of the API. Nothing changes.
        """
        asked = [{"name": p} if isinstance(p, str) else p for p in policies]
        options = {"policies": asked, "model": model, "calls": calls, "prices": prices, "dialect": dialect}
        options |= {"tokenizer": tokenizer, "when": when}
        body = {k: v for k, v in options.items() if v is not None}
        result = await self.db._ask("POST", path("contexts", self.name, "simulation"), None, body)
        return cast("types.SimulateResult", result)

    async def findings(
        self, *, model: str | None = None, dialect: str | None = None, tokenizer: str | None = None
    ) -> types.SimulateReport:
        """Says what the run paid for and may not have needed."""
        found = await self._get("findings", model=model, dialect=dialect, tokenizer=tokenizer)
        return cast("types.SimulateReport", found)

    async def kept_policy(self) -> types.LifecyclePolicy | None:
        """Returns the policy that the context keeps; `Batch.keep_policy` changes it."""
        listed = await self.db._ask("GET", path("policies"), {"context": self.name})
        return cast("types.LifecyclePolicy | None", listed.get("kept"))

    async def snapshot(self, at: str | int = "latest") -> AsyncSnapshot:
        """Returns the snapshot of a cycle, or of an address such as `latest-1` or `@c12`."""
        there = (await self._get(at=address(at)))["state"]
        return AsyncSnapshot(self, there["cycle"], there)

    @overload
    async def thread(
        self, form: Literal["openai", "canonical"] = "openai", at: str | int = "latest"
    ) -> list[dict[str, Any]]: ...
    @overload
    async def thread(
        self, form: Literal["responses", "anthropic", "gemini"], at: str | int = "latest"
    ) -> dict[str, Any]: ...
    @overload
    async def thread(self, form: Literal["text", "markdown"], at: str | int = "latest") -> str: ...
    @overload
    async def thread(
        self,
        form: Literal["openai", "responses", "anthropic", "gemini"],
        at: str | int = "latest",
        *,
        whole: Literal[True],
    ) -> dict[str, Any]: ...
    async def thread(self, form: str = "openai", at: str | int = "latest", *, whole: bool = False) -> Any:
        """Returns what the model is sent, as arguments of an API.

        `openai` is the list of messages of Chat Completions, `canonical` that of the blocks. The others are an object:
        `input` for `responses`, `system` and `messages` for `anthropic`, `contents` and so on for `gemini`. With whole
        it is the whole request, with tools, model and parameters as far as the context has them. `text` and `markdown`
        are for people.
        """
        where, asked = path("contexts", self.name, "thread"), {"at": address(at), "as": form, "whole": whole or None}
        if form in ("text", "markdown"):
            return (await self.db._transport.asend("GET", where, asked)).decode()
        thread = await self.db._ask("GET", where, asked, of=(dict, list))
        # Of a call that was recorded the server also has the tools.
        return thread["messages"] if form == "openai" and not whole and isinstance(thread, dict) else thread

    async def select(self, selector: str, *, skip: int | None = None, limit: int | None = None) -> list[str]:
        """Returns the ids of the nodes that a selector finds, such as `@t0 .cb[kind='result'][failed]`."""
        found = await self._get("select", q=selector, skip=skip, limit=limit)
        return cast("list[str]", found["ids"])

    async def node(self, id: str, at: str | int = "latest") -> types.ViewNode:
        """Returns a node with its headers, its content and where it comes from."""
        return cast("types.ViewNode", await self._get("nodes", id, at=address(at)))

    async def diff(
        self,
        older: str | int = "latest-1",
        newer: str | int = "latest",
        *,
        select: str | None = None,
        edition: str | None = None,
        content_mode: Literal["unified", "jsonpatch", "tokens"] | None = None,
        context_lines: int | None = None,
    ) -> types.DiffReport:
        """Compares two states: nodes that came, went and changed, and why. `working` is the state being edited.

        With select only what it finds on each side is compared; content_mode says how contents are shown.
        """
        asked = {"from": address(older), "to": address(newer), "select": select, "edition": edition}
        more = {"content_mode": content_mode, "context_lines": context_lines}
        return cast("types.DiffReport", await self._get("diff", **asked, **more))

    async def life(self, id: str) -> types.InspectTimeline:
        """Says everything that happened to a node."""
        return cast("types.InspectTimeline", await self._get("nodes", id, "life"))

    async def fork(self, name: str, at: str | int = "latest", *, message: str | None = None) -> AsyncContext:
        """Makes a context of a snapshot, which shares all before it."""
        await self._change("fork", {"name": name, "at": address(at), "message": message})
        return self.db.context(name)

    async def undo(self, *, message: str | None = None) -> AsyncContext:
        """Takes the last commit back, and returns the context under whose name the undone line lives on."""
        undone = await self._change("undo", {"message": message})
        self._cycle = undone["context"]["last_cycle"]
        return self.db.context(undone["undone"])

    async def calls(self) -> list[types.ViewCall]:
        """Returns each call with its size, what it repeats of the one before, and where that ended and why."""
        return cast("list[types.ViewCall]", await self._pages("calls"))

    async def log(self) -> list[types.HistoryEntry]:
        """Returns the log entries, oldest first."""
        return cast("list[types.HistoryEntry]", await self._pages("log"))

    async def _pages(self, part: str, **query: Any) -> list[Any]:
        items: list[Any] = []
        after: Any = None
        while True:
            page = await self._get(part, after=after, **query)
            items += page["items"]
            after = page.get("next")
            if after is None:
                return items

    async def picture(self, *, unit: Literal["bytes", "tokens"] = "bytes") -> Picture:
        """Returns the picture of all calls, which shows itself in a notebook."""
        strata = await self._get("strata", unit=unit)
        return Picture(self.name, strata)

    async def verify(self) -> dict[str, Any]:
        """Checks that nothing was changed since: `snapshots` says how many hold, `broken` the first that does not."""
        data = await self.db._transport.asend("GET", path("contexts", self.name, "verify"))
        return cast("dict[str, Any]", json.loads(data.splitlines()[-1])["result"])

    async def export(self, form: Literal["compact", "snapshots"] = "compact") -> bytes:
        """Returns the whole history, which `load` reads."""
        where = path("contexts", self.name, "export")
        return await self.db._transport.asend("GET", where, {"form": form})

    async def erase(
        self, *, ids: Sequence[str] = (), texts: Sequence[str] = (), reason: str | None = None, dry_run: bool = False
    ) -> types.RecordErased:
        """Removes nodes for good, from every snapshot of all contexts that share history."""
        body = {"ids": list(ids) or None, "texts": list(texts) or None, "reason": reason, "dry_run": dry_run}
        body = {k: v for k, v in body.items() if v is not None}
        erased = await self.db._ask("POST", path("contexts", self.name, "erase"), None, body)
        return cast("types.RecordErased", erased)

    async def rename(self, name: str) -> None:
        """Gives the context another name."""
        await self.db._ask("PATCH", path("contexts", self.name), None, {"name": name})
        self.name = name

    async def delete(self) -> None:
        """Deletes the context."""
        await self.db._ask("DELETE", path("contexts", self.name))


class AsyncEditing(Batch):
    """A batch that is sent as its block ends, unless it raises."""

    def __init__(self, context: AsyncContext, message: str | None, actor: str | None) -> None:
        super().__init__()
        self._context, self._message, self._actor = context, message, actor

    async def __aenter__(self) -> AsyncEditing:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.edits:
            made = await self._context.apply(self.edits, message=self._message, actor=self._actor)
            self.ids = made.get("ids") or []


class AsyncSnapshot:
    """What one call was sent. It never changes."""

    def __init__(self, context: AsyncContext, cycle: int, made: Mapping[str, Any]) -> None:
        self.context, self.cycle = context, cycle
        self.digest: str = made["digest"]
        self.report = cast("types.LifecycleReport", made.get("report") or {})
        """What the commit removed, and why; empty for a snapshot that was looked up."""

    @property
    def address(self) -> str:
        """Its address, such as `@c12`."""
        return f"@c{self.cycle}"

    def __repr__(self) -> str:
        return f"<pactctx snapshot {self.address} of {self.context.name!r}>"

    @overload
    async def thread(self, form: Literal["openai", "canonical"] = "openai") -> list[dict[str, Any]]: ...
    @overload
    async def thread(self, form: Literal["responses", "anthropic", "gemini"]) -> dict[str, Any]: ...
    @overload
    async def thread(self, form: Literal["text", "markdown"]) -> str: ...
    @overload
    async def thread(
        self, form: Literal["openai", "responses", "anthropic", "gemini"], *, whole: Literal[True]
    ) -> dict[str, Any]: ...
    async def thread(self, form: Any = "openai", *, whole: Any = False) -> Any:
        """Returns what the model is sent, as `Context.thread` does."""
        return await self.context.thread(form, self.address, whole=whole)

    async def blocks(self) -> list[types.ViewBlock]:
        """Returns the blocks of its thread: kind, size, who brought each, first words."""
        return cast("list[types.ViewBlock]", await self.context._pages("blocks", at=self.address))

    async def document(self) -> dict[str, Any]:
        """Returns its canonical document: the tree with all headers."""
        return cast("dict[str, Any]", await self.context._get("export", form="document", at=self.address))

    def _repr_html_(self) -> str:
        where = path("contexts", self.context.name, "blocks")
        page = json.loads(self.context.db._transport.send("GET", where, {"at": self.address, "limit": 200}))
        return blocks_html(f"{self.context.name} {self.address}", page)


def address(at: str | int) -> str:
    """Returns the address of a cycle."""
    return f"@c{at}" if isinstance(at, int) else at


def _pruning(
    policy: Mapping[str, Any] | str | None, select: Iterable[str], ids: Iterable[str], rewrite: Iterable[str] = ()
) -> dict[str, Any] | None:
    asked = {"policy": policy, "select": list(select), "ids": list(ids), "rewrite": list(rewrite)}
    return {k: v for k, v in asked.items() if v} or None
