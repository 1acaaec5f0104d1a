"""Connections are kept within bounds, and lists that the server answers in pages are whole."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

import pactctx
from pactctx._transport import Transport


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.sockets: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), Answers)

    def process_request(self, request, address) -> None:  # type: ignore[no-untyped-def]
        self.sockets.append(request)
        super().process_request(request, address)


class Answers(BaseHTTPRequestHandler):
    """Answers a search with three pages of one item each, the second empty, and all else with nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        pages = {"": (["a"], "b"), "b": ([], "c"), "c": (["d"], None)}
        items, following = pages[parse_qs(urlsplit(self.path).query).get("after", [""])[0]]
        answer = {"items": [{"name": i} for i in items]}
        self.answer(json.dumps(answer if following is None else {**answer, "next": following}).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"{}")

    def answer(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as served:
        threading.Thread(target=served.serve_forever).start()
        yield served
        served.shutdown()


def test_requests_that_open_connections_keep_few(server: Server) -> None:
    transport = Transport(url=f"http://127.0.0.1:{server.server_port}", token="t")
    for _ in range(20):
        transport.send("POST", "/v1/contexts", body={})
    assert len(transport._idle) <= 4
    transport.close()


def test_one_ended_connection_drops_all_idle_ones(server: Server) -> None:
    transport = Transport(url=f"http://127.0.0.1:{server.server_port}", token="t")
    for _ in range(4):
        transport.send("POST", "/v1/contexts", body={})
    server.sockets[-1].shutdown(socket.SHUT_RDWR)  # the one that the next request takes
    assert json.loads(transport.send("GET", "/v1/grep"))["next"] == "b"
    assert len(server.sockets) == 5 and len(transport._idle) == 1
    transport.close()


def test_search_returns_all_pages(server: Server) -> None:
    with pactctx.connect(f"http://127.0.0.1:{server.server_port}", "t") as db:
        assert [found["name"] for found in db.search("x")] == ["a", "d"]
