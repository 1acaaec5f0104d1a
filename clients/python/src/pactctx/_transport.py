"""Sends requests over HTTP, from any thread and also after a fork."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import math
import os
import re
import socket
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from ._binary import Child
from ._errors import Error, error, invalid, no_answer, unreachable

KEPT = 4  # idle connections at most
AT_ONCE = 32  # requests; a server answers 64
TIMEOUT = 660.0  # seconds; the longest that a server takes, for an import, is ten minutes
CONNECTING = 10.0  # seconds
TRIES = 20  # of a request that the server has no place for, a tenth of a second longer each time


def path(*parts: str) -> str:
    """Returns a path of the API, with each part escaped."""
    for part in parts:
        if part in ("", ".", ".."):  # programs on the way take it for another path
            raise invalid(f'no path of an address can hold the name "{part}"', "use another name")
    try:
        return "/v1/" + "/".join(quote(p, safe="") for p in parts)
    except UnicodeEncodeError as wrong:
        raise invalid("a name has half a surrogate pair, which is no character", "leave it out") from wrong


def as_json(value: Any) -> bytes:
    """Returns a value as JSON, which has no NaN, no sets and no objects of a program."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise invalid(f"JSON has no such value: {wrong}", "send numbers, strings, lists and dictionaries") from wrong
    # UTF-8 has no half of a surrogate pair, but JSON can write one.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


class Call:
    """A request that can be given up while it waits."""

    def __init__(self) -> None:
        self.given_up = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._lock = threading.Lock()

    def give_up(self) -> None:
        """Has the thread that waits go on at once."""
        self.given_up.set()
        with self._lock:
            sock = self._connection.sock if self._connection else None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the server was faster

    def uses(self, connection: http.client.HTTPConnection | None) -> None:
        with self._lock:
            self._connection = connection
        self.check()

    def check(self) -> None:
        if self.given_up.is_set():
            raise unreachable("the call was given up", "ask again")


class Patient(io.RawIOBase):
    """Reads from a socket until a time, in however small pieces the other end writes."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until
        self._file = sock.makefile("rb", buffering=0)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(max(self._until - time.monotonic(), 0.001))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class Transport:
    """A server and idle connections to it: the one at url, or a child for the store, which the first request starts."""

    def __init__(self, *, store: str = "", url: str = "", token: str = "", timeout: float | None = None) -> None:
        self._store, self._url, self._token = store, url, token
        self._timeout = TIMEOUT if timeout is None else timeout
        if not 0 < self._timeout < math.inf:
            raise invalid(f"the timeout is {timeout}", "give seconds, more than 0")
        at = urlsplit(url)
        if url and (at.scheme not in ("http", "https") or not at.hostname):
            raise invalid(f"{url!r} is no address of a server", "write one such as http://127.0.0.1:7741")
        if not store and not url:
            raise invalid("no store is named", "give a file, or the address of a PostgreSQL or of a server")
        self.where = store or url
        self._child: Child | None = None
        self._end: weakref.finalize[..., Any] | None = None
        self._closed = False
        self._renew()
        _transports.add(self)

    def _renew(self) -> None:
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def forked(self) -> None:
        """Is for the child of a fork, which shares its connections and the pipe of the server with the parent."""
        for connection in self._idle:
            if connection.sock is not None:
                connection.sock.close()  # of this process alone
        self._renew()
        if self._end is not None:
            self._end.detach()
            self._end = None
        if self._child is not None:
            self._child.let_go()

    def start(self) -> Transport:
        """Starts the child, if there is to be one and it does not run yet."""
        with self._lock:
            if self._closed:
                raise error({"code": "E_CLOSED", "detail": "this database is closed", "remedy": "open it again"})
            if self._store and self._child is None:
                child = Child(self._store)
                self._child = child
                try:
                    self._url, self._token = child.started(self._timeout)
                except BaseException:
                    self._child = None
                    child.close(self._timeout)
                    raise
                self._end = weakref.finalize(self, child.close, self._timeout)  # also as the interpreter ends
        return self

    async def astart(self) -> Transport:
        """Starts the child in a thread; a program that gives up waiting ends it."""
        try:
            return await asyncio.to_thread(self.start)
        except asyncio.CancelledError:
            self._stop_starting()
            raise

    def _stop_starting(self) -> None:
        if self._child is not None and self._child.own and self._end is None:
            self._child.kill()

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

    async def asend(self, *asked: Any) -> bytes:
        """Sends what send takes, in a thread, which ends if the task is cancelled."""
        call = Call()
        try:
            return await asyncio.to_thread(self.send, *asked, call=call)
        except asyncio.CancelledError:
            call.give_up()
            self._stop_starting()
            raise

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        call: Call | None = None,
    ) -> bytes:
        """Returns the body of the answer, or raises the refusal. A body of bytes is sent as it is, another as JSON."""
        asked = {k: str(v).lower() if isinstance(v, bool) else v for k, v in (query or {}).items() if v is not None}
        try:
            path += "?" + urlencode(asked, doseq=True) if asked else ""
        except UnicodeEncodeError as wrong:
            raise invalid("a question has half a surrogate pair, which is no character", "leave it out") from wrong
        sent = dict(headers or {})
        if isinstance(body, bytes):
            sent["Content-Type"] = "application/octet-stream"
        elif body is not None:
            body = as_json(body)
            sent["Content-Type"] = "application/json"
        self.start()
        sent["Authorization"] = f"Bearer {self._token}"
        # The server may close an idle connection as a request goes out. Then nobody knows whether it arrived, so
        # only a request that does no harm twice takes such a connection.
        again = method == "GET" or "Idempotency-Key" in sent
        call = call or Call()
        for tried in range(1, TRIES + 1):
            self._enter(call)
            try:
                status, data = self._exchange(call, method, path, body, sent, again)
            finally:
                call.uses(None)
                self._places.release()
            if 200 <= status < 300:
                return data
            refused = self._refusal(status, data)
            if refused.code != "E_TOO_MANY" or tried == TRIES:  # others use the server too
                raise refused
            call.given_up.wait(0.1 * tried)
        raise AssertionError("unreachable")

    def _enter(self, call: Call) -> None:
        """Waits for a place among the requests that are under way."""
        until = time.monotonic() + self._timeout
        while not self._places.acquire(timeout=0.1):
            call.check()
            if time.monotonic() > until:
                raise unreachable(f"{self._url} is asked too much at once", "ask less at once")

    def _refusal(self, status: int, data: bytes) -> Error:
        try:
            told = json.loads(data)
            if published := told.get("error"):  # the words of edition 1.0, whose details say it exactly
                told = {**published["details"], "code": published["details"]["reason"], "detail": published["message"]}
            return error({"status": status, "code": told["code"], "detail": told["detail"], **told})
        except (ValueError, KeyError, TypeError):
            return no_answer(f"{self._url} answered {status} and no refusal of pact", status)

    def _exchange(
        self, call: Call, method: str, path: str, body: bytes | None, headers: Mapping[str, str], again: bool
    ) -> tuple[int, bytes]:
        until = time.monotonic() + self._timeout
        connection = self._connection(again)

        def answer_on(sock: socket.socket, **how: Any) -> http.client.HTTPResponse:
            return http.client.HTTPResponse(cast("socket.socket", Patient(sock, until)), **how)

        connection.response_class = cast("type[http.client.HTTPResponse]", answer_on)
        used = connection.sock is not None
        whole = True
        try:
            if not used:
                connection.timeout = min(CONNECTING, self._timeout)
                connection.connect()
            connection.sock.settimeout(self._timeout)
            call.uses(connection)
            try:
                connection.request(method, urlsplit(self._url).path.rstrip("/") + path, body, dict(headers))
            except (BrokenPipeError, ConnectionResetError):
                whole = False  # a server refuses a body that is too long before it has read all
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as failed:
            connection.close()
            call.check()
            if used and again:
                self._drop()  # what ended one, such as a server that started anew, has ended the others
                return self._exchange(call, method, path, body, headers, False)
            gone = self._child.gone() if self._child else None
            if isinstance(failed, TimeoutError):
                failed = TimeoutError(f"not within {self._timeout:g} s")
            raise gone or unreachable(
                f"{self._url} does not answer: {failed}", "check that the server runs"
            ) from failed
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if self._closed or answer.will_close or not whole or len(self._idle) >= KEPT:
                connection.close()
            else:
                self._idle.append(connection)
        return answer.status, data

    def _connection(self, idle: bool) -> http.client.HTTPConnection:
        with self._lock:
            if idle and self._idle:
                return self._idle.pop()
        at = urlsplit(self._url)
        kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
        return kind(at.hostname or "", at.port)


_transports: weakref.WeakSet[Transport] = weakref.WeakSet()


def _after_fork() -> None:
    for transport in list(_transports):
        transport.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
