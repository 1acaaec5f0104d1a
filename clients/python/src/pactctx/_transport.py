"""Sends requests over HTTP, from any thread."""

from __future__ import annotations

import http.client
import json
import threading
import weakref
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._binary import Child
from ._errors import error, unreachable

KEPT = 4  # idle connections at most
TIMEOUT = 660.0  # seconds; the longest that a server takes, for an import, is ten minutes


def path(*parts: str) -> str:
    """Returns a path of the API, with each part escaped."""
    return "/v1/" + "/".join(quote(p, safe="") for p in parts)


class Transport:
    """A server and idle connections to it: the one at url, or a child for the store, which the first request starts."""

    def __init__(self, *, store: str = "", url: str = "", token: str = "") -> None:
        self._store, self._url, self._token = store, url, token
        self.where = store or url
        self._child: Child | None = None
        self._end: weakref.finalize[..., Any] | None = None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    def start(self) -> Transport:
        """Starts the child, if there is to be one and it does not run yet."""
        with self._lock:
            if self._closed:
                raise ValueError("this database is closed")
            if self._store and self._child is None:
                self._child = Child(self._store)
                self._end = weakref.finalize(self, self._child.close)  # also as the interpreter ends
                self._url, self._token = self._child.url, self._child.token
        return self

    def close(self) -> None:
        """Closes all connections and ends the child."""
        with self._lock:
            self._closed = True
        self._drop()
        if self._end is not None:
            self._end()

    def _drop(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Returns the body of the answer, or raises the refusal. A body of bytes is sent as it is, another as JSON."""
        self.start()
        asked = {k: str(v).lower() if isinstance(v, bool) else v for k, v in (query or {}).items() if v is not None}
        if asked:
            path += "?" + urlencode(asked, doseq=True)
        sent = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        if isinstance(body, bytes):
            sent["Content-Type"] = "application/octet-stream"
        elif body is not None:
            body = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        # The server may close an idle connection as a request goes out. Then nobody knows whether it arrived, so
        # only a request that does no harm twice takes such a connection.
        again = method == "GET" or "Idempotency-Key" in sent
        status, data = self._exchange(method, path, body, sent, again)
        if status < 400:
            return data
        try:
            told = json.loads(data)
            problem = {"status": status, "code": told["code"], "detail": told["detail"], **told}
        except (ValueError, KeyError, TypeError):
            raise unreachable(
                f"{self._url} answered {status} and no refusal of pact", "check that the address is that of pact serve"
            ) from None
        raise error(problem)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], again: bool
    ) -> tuple[int, bytes]:
        connection = self._connection(again)
        used = connection.sock is not None
        try:
            connection.request(method, urlsplit(self._url).path.rstrip("/") + path, body, dict(headers))
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as failed:
            connection.close()
            if used and again:
                self._drop()  # what ended one, such as a server that started anew, has ended the others
                return self._exchange(method, path, body, headers, False)
            gone = self._child.gone() if self._child else None
            raise gone or unreachable(
                f"{self._url} does not answer: {failed}", "check that the server runs"
            ) from failed
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if self._closed or answer.will_close or len(self._idle) >= KEPT:
                connection.close()
            else:
                self._idle.append(connection)
        return answer.status, data

    def _connection(self, idle: bool) -> http.client.HTTPConnection:
        with self._lock:
            if idle and self._idle:
                return self._idle.pop()
        at = urlsplit(self._url)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise ValueError(f"{self._url!r} is no address of a server: write one such as http://127.0.0.1:7741")
        kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        return kind(at.hostname, at.port, timeout=TIMEOUT)
