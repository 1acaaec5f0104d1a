"""Made by tools/generate.py from _async.py.

The front end: databases.

Requests run in threads, because the standard library speaks HTTP in no other way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast

from ._answers import has_members
from ._sync_context import Context
from ._errors import Conflict, Forbidden, invalid, no_answer
from ._transport import Transport, path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types


def open(store: str | os.PathLike[str], *, timeout: float | None = None) -> Database:
    """Opens a file, or the address of a PostgreSQL, with a server of its own.

    The server listens on a port of this machine for this process and those that it forks, and ends with it. A file
    that is missing is made. timeout is how many seconds the server may take to start, to answer a request and to end;
    without it eleven minutes.
    """
    return Database(Transport(store=os.fspath(store), timeout=timeout).start())


def connect(url: str, token: str, *, timeout: float | None = None) -> Database:
    """Speaks to a server that runs, such as one of `pact serve`. timeout is as for `open`."""
    return Database(Transport(url=url, token=token, timeout=timeout))


class Database:
    """Contexts in one store."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __repr__(self) -> str:
        return f"<pactctx database {self._transport.where}>"

    def __enter__(self) -> Database:
        self._transport.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the server that `open` started."""
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Sends any request of docs/openapi.json. Returns its JSON, or bytes if the answer is none."""
        data = self._transport.send(method, path, query, body, headers)
        try:
            return json.loads(data) if data else None
        except ValueError:
            return data

    def _ask(self, method: str, where: str, *asked: Any, of: Any = dict) -> Any:
        """Sends a request that is answered with an object, or what else `of` says, and a deletion with nothing."""
        answer = self.request(method, where, *asked)
        known = isinstance(answer, of) and has_members(method, where, answer)
        if not known and not (answer is None and method == "DELETE"):
            raise no_answer(f"{self._transport.where} answered with other than pact does", 200)
        return answer

    def context(self, name: str) -> Context:
        """Returns the context with a name, without a look whether it is there."""
        return Context(self, name)

    def __getitem__(self, name: str) -> Context:
        if not isinstance(name, str):
            raise TypeError(f"the name of a context is a str, and {name!r} is none")
        return self.context(name)

    def __iter__(self) -> Iterator[str]:
        """Yields the names of the contexts, in order."""
        for info in self.contexts():
            yield info["name"]

    def create(
        self, name: str, *, exist_ok: bool = False, edition: str | None = None, attrs: Mapping[str, Any] | None = None
    ) -> Context:
        """Makes an empty context; with exist_ok it returns the one that is there."""
        context = self.context(name)
        made = {k: v for k, v in (("name", name), ("edition", edition), ("attrs", attrs)) if v is not None}
        try:
            self._ask("POST", path("contexts"), None, made)
        except Conflict:
            if not exist_ok:
                raise
        except Forbidden:
            if not exist_ok or not context.exists():  # a token that may only read finds what is there
                raise
        return context

    def contexts(self, prefix: str = "", *, details: bool = False) -> Iterator[types.ContextInfo]:
        """Lists the contexts whose names begin so, by name; with details also calls, bytes and the last change."""
        after: str | None = prefix[:-1] or None
        while True:
            page = self._ask("GET", path("contexts"), {"after": after, "details": details, "all": True})
            for item in page["items"]:
                if item["name"].startswith(prefix):
                    yield item
            after = page.get("next")
            if after is None or (prefix and after > prefix and not after.startswith(prefix)):
                return

    def load(
        self,
        data: bytes | str | os.PathLike[str],
        name: str,
        *,
        form: Literal["document", "history", "log"] | None = None,
        edition: str | None = None,
        strict: bool | None = None,
        renumber: bool | None = None,
        policy: str | None = None,
        max_tokens: int | None = None,
        max_bytes: int | None = None,
        max_nodes: int | None = None,
        max_turns: int | None = None,
    ) -> list[Context]:
        """Imports what `pact import` reads: bytes or a file, such as a log of an agent or a history.

        strict refuses a history that would have to be mended, renumber counts the cycles of one with gaps anew. The
        calls of a transcript are replayed under the ready policy of a name with these limits.
        """
        if not isinstance(data, bytes):
            data = Path(data).read_bytes()
        query: dict[str, Any] = {"name": name, "form": form, "edition": edition, "strict": strict, "renumber": renumber}
        query |= {"policy": policy, "max_tokens": max_tokens, "max_bytes": max_bytes}
        query |= {"max_nodes": max_nodes, "max_turns": max_turns}
        made = self._ask("POST", path("import"), query, data)
        return [self.context(c["name"]) for c in made["contexts"]]

    def policy(self, ready: str, **limits: Unpack[types.LifecyclePolicy]) -> types.LifecyclePolicy:
        """Returns a ready policy (default, agent, chat, strict) with limits, such as max_tokens=20000."""
        listed = self._ask("GET", path("policies"))
        for item in listed["items"]:
            if item["name"] == ready:
                return cast("types.LifecyclePolicy", {**item["policy"], **limits})
        names = ", ".join(item["name"] for item in listed["items"])
        raise invalid(f"there is no ready policy {ready!r}", f"the names are {names}")

    def search(self, text: str, *, regexp: bool = False) -> list[dict[str, Any]]:
        """Finds the contexts that have a text, each with its first blocks."""
        found: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            page = self._ask("GET", path("grep"), {"q": text, "regexp": regexp, "after": after})
            found += page["items"]
            after = page.get("next")
            if after is None:
                return found
