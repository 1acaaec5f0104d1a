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
from typing import TYPE_CHECKING, Any, cast

from ._sync_context import Context
from ._transport import Transport, path

if TYPE_CHECKING:
    from . import types


def open(store: str | os.PathLike[str]) -> Database:
    """Opens a file, or the address of a PostgreSQL, with a server of its own.

    The server listens on a port of this machine for this process alone, and ends with it. A file that is missing is
    made.
    """
    return Database(Transport(store=os.fspath(store)).start())


def connect(url: str, token: str) -> Database:
    """Speaks to a server that runs, such as one of `pact serve`."""
    return Database(Transport(url=url, token=token))


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
        """Sends any request of docs/server.md. Returns its JSON, or bytes if the answer is none."""
        data = self._transport.send(method, path, query, body, headers)
        try:
            return json.loads(data) if data else None
        except ValueError:
            return data

    def context(self, name: str) -> Context:
        """Returns the context with a name, without a look whether it is there."""
        return Context(self, name)

    def create(
        self, name: str, *, exist_ok: bool = False, edition: str | None = None, attrs: Mapping[str, Any] | None = None
    ) -> Context:
        """Makes an empty context; with exist_ok it returns the one that is there."""
        context = self.context(name)
        if exist_ok and context.exists():
            return context
        made = {k: v for k, v in (("name", name), ("edition", edition), ("attrs", attrs)) if v is not None}
        self.request("POST", path("contexts"), body=made)
        return context

    def contexts(self, prefix: str = "", *, details: bool = False) -> Iterator[types.ContextInfo]:
        """Lists the contexts whose names begin so, by name; with details also calls, bytes and the last change."""
        after: str | None = prefix[:-1] or None
        while True:
            page = self.request("GET", path("contexts"), {"after": after, "details": details, "all": True})
            for item in page["items"]:
                if item["name"].startswith(prefix):
                    yield item
            after = page.get("next")
            if after is None or (prefix and after > prefix and not after.startswith(prefix)):
                return

    def load(self, data: bytes | str | os.PathLike[str], name: str, **options: Any) -> list[Context]:
        """Imports what `pact import` reads: bytes or a file, such as a log of an agent or a history.

        Options are those of `POST /v1/import`: form, strict, policy, max_tokens and so on.
        """
        if not isinstance(data, bytes):
            data = Path(data).read_bytes()
        made = self.request("POST", path("import"), {"name": name, **options}, data)
        return [self.context(c["name"]) for c in made["contexts"]]

    def policy(self, ready: str, **limits: Any) -> types.LifecyclePolicy:
        """Returns a ready policy (default, agent, chat, strict) with limits, such as max_tokens=20000."""
        listed = self.request("GET", path("policies"))
        for item in listed["items"]:
            if item["name"] == ready:
                return cast("types.LifecyclePolicy", {**item["policy"], **limits})
        raise LookupError(f"{ready!r} is no ready policy: there are {', '.join(i['name'] for i in listed['items'])}")

    def search(self, text: str, *, regexp: bool = False) -> list[dict[str, Any]]:
        """Finds the contexts that have a text, each with its first blocks."""
        found: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            page = self.request("GET", path("search"), {"q": text, "regexp": regexp, "after": after})
            found += page["items"]
            after = page.get("next")
            if after is None:
                return found
