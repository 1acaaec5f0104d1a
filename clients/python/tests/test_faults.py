"""What goes wrong around a client: each fault of clients/faults.json, by which that in TypeScript is tested too."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pactctx

FAULTS = json.loads((Path(__file__).resolve().parents[2] / "faults.json").read_text())
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
BUSY = b'{"code":"E_TOO_MANY","detail":"full","status":429}'
TOO_MANY = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: %d\r\n\r\n%s" % (len(BUSY), BUSY)


class Stub(socketserver.ThreadingTCPServer):
    """A server that answers each request with the next of some bytes, None for nothing at all."""

    daemon_threads, block_on_close = True, False

    def __init__(self, *answers: bytes | None) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.answers = list(answers)
        self.asked = 0
        self.open: list[socket.socket] = []


class Answering(socketserver.StreamRequestHandler):
    server: Stub

    def handle(self) -> None:
        self.server.open.append(self.request)
        while self.rfile.readline():
            length = 0
            while line := self.rfile.readline().strip().lower():
                length = int(line.split(b":")[1]) if line.startswith(b"content-length") else length
            self.rfile.read(length)
            self.server.asked += 1
            answer = self.server.answers.pop(0) if self.server.answers else None
            if answer is not None:
                self.wfile.write(answer)
                if b"Content-Length" not in answer:
                    return


@contextmanager
def stub(*answers: bytes | None) -> Iterator[Stub]:
    with Stub(*answers) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()
        for connection in made.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the client was faster


@contextmanager
def refused(code: str) -> Iterator[pytest.ExceptionInfo[pactctx.Error]]:
    with pytest.raises(pactctx.Error) as error:
        yield error
    assert error.value.code == code, error.value
    assert error.value.detail


def program(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts a program in Python."""
    command = [sys.executable, "-c", "import sys, os, time, asyncio, pactctx\n" + code, *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(Path(pactctx.__file__).parents[1])}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def script(folder: Path, lines: str) -> str:
    """Returns the path of a program in place of pact."""
    made = folder / "stand-in"
    made.write_text(f"#!/bin/sh\n{lines}\n")
    made.chmod(0o755)
    return str(made)


@contextmanager
def soon(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def silent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stub() as server, soon(30), refused("E_UNREACHABLE") as error:
        pactctx.connect(server.url, "t", timeout=0.3).context("chat").info()
    assert "0.3 s" in error.value.detail


def given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stub() as server, soon(60):
        code = (
            "async def main():\n"
            "    db = pactctx.connect_async(sys.argv[1], 't')\n"
            "    try: await asyncio.wait_for(db.context('chat').info(), 0.3)\n"
            "    except asyncio.TimeoutError: print('given up')\n"
            "asyncio.run(main())"
        )
        assert program(code, server.url).communicate(timeout=50)[0] == "given up\n"


def slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for parts in (OK.split(b"\r\n\r\n")[0], OK + b" "):  # within the head, and within the body
        with drip(parts) as url, soon(30), refused("E_UNREACHABLE") as error:
            pactctx.connect(url, "t", timeout=0.5).context("chat").info()
        assert "0.5 s" in error.value.detail


@contextmanager
def drip(text: bytes) -> Iterator[str]:
    """A server that writes a text and then one byte more each tenth of a second."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(text.replace(b"Length: 2", b"Length: 999"))
                    while True:
                        time.sleep(0.1)
                        connection.sendall(b" ")
                except OSError:
                    pass  # the client has gone

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def silent_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lines in ("exec sleep 600", "sleep 600\ntrue"):  # the second is a script that starts a program
        monkeypatch.setenv("PACT_BINARY", script(folder, lines))
        with soon(60), refused("E_PROGRAM"):
            pactctx.open(folder / "a.db", timeout=0.3)


def missing_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACT_BINARY", str(folder / "missing"))
    with refused("E_PROGRAM") as error:
        pactctx.open(folder / "a.db")
    assert error.value.remedy and "PACT_BINARY" in error.value.remedy


def stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pactctx._binary.PATIENCE", 1)
    db = pactctx.open(folder / "a.db")
    child = db._transport._child
    assert child is not None
    os.kill(child._process.pid, signal.SIGSTOP)
    os.waitpid(child._process.pid, os.WUNTRACED)  # until all of its threads stand
    with soon(60):
        db.close()
    assert child._process.returncode == -signal.SIGKILL


def crash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        child = db._transport._child
        assert child is not None
        child._process.send_signal(signal.SIGABRT)  # Go writes what was running, as at a panic
        child._process.wait(30)
        with refused("E_UNREACHABLE") as error:
            db.context("chat").info()
    assert "SIGABRT: abort" in error.value.detail and "goroutine 1 [" not in error.value.detail


def interrupt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job has it ignored
        "db = pactctx.open(sys.argv[1]); db.create('chat')\n"
        "try: print('ready', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt: db['chat'].commit(message='last'); print('done', flush=True)"
    )
    command = [sys.executable, "-c", "import sys, time, pactctx\n" + code, str(folder / "a.db")]
    env = {**os.environ, "PYTHONPATH": str(Path(pactctx.__file__).parents[1])}
    started = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert started.stdout is not None and started.stdout.readline() == "ready\n"
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does, to all processes of the job
    assert started.communicate(timeout=50)[0] == "done\n"


def fork(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import threading\n"
        "db = pactctx.open(sys.argv[1])\n"
        "for name in 'abcd':\n"
        "    with db.create(name).edit() as batch: batch.add(name * 9, role='user')\n"
        "threads = [threading.Thread(target=db[n].commit) for n in 'abcd']\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "def use(name):\n"
        "    for cycle in range(2, 12):\n"
        "        assert db[name].thread('openai', 1) == [{'role': 'user', 'content': name * 9}]\n"
        "        assert db[name].commit().cycle == cycle\n"
        "workers = []\n"
        "for name in 'abc':\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        use(name); sys.exit(0)\n"
        "    workers.append(pid)\n"
        "use('d')\n"
        "print([os.waitpid(pid, 0)[1] for pid in workers], len(db.context('a').log()) > 10)\n"
    )
    assert program(code, folder / "a.db").communicate(timeout=100)[0] == "[0, 0, 0] True\n"


def too_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        for size in (9 << 20, 40 << 20):
            with refused("E_LIMIT"), chat.edit() as batch:
                batch.add("x" * size)
        with refused("E_LIMIT"):
            db.load(b"x" * (257 << 20), "long")
        assert chat.exists()


def too_long_for_a_stranger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        with refused("E_UNAUTHORIZED"):
            pactctx.connect(db._transport._url, "wrong").load(b"x" * (40 << 20), "long")


def other_letters(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        text = "ü" * (3 << 20)  # six MiB, and eighteen if each were escaped
        with chat.edit() as batch:
            batch.add(text, role="user")
        assert chat.thread("canonical", "working")[0]["content"] == text


def no_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring: list[Any] = []
    ring.append(ring)
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        for value in (float("nan"), float("inf"), print, object(), {1, 2}, b"bytes", {("a",): 1}, ring, [{"a": len}]):
            with refused("E_DOCUMENT_INVALID"), chat.edit() as batch:
                batch.add(value)
        assert chat.thread("canonical", "working") == []


def half_a_character(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        with chat.edit() as batch:
            node = batch.add("x\ud800y", role="user")
        snapshot = chat.commit()
        assert snapshot.thread("canonical")[0]["content"] == snapshot.thread("openai")[0]["content"] == "x\ud800y"
        assert chat.node(node)["text"] == "x\ud800y"
        assert r"x\ud800y" in json.dumps(snapshot.document())
        with refused("E_DOCUMENT_INVALID"):
            db.context("\ud800").info()
        with refused("E_DOCUMENT_INVALID"):
            db.create("\ud800")
        with refused("E_DOCUMENT_INVALID"):
            chat.commit(message="\ud800")
        with refused("E_DOCUMENT_INVALID"):
            db.search("\ud800")


def race(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db, ThreadPoolExecutor(8) as pool:
        for number in range(5):
            made = pool.map(lambda _, n=number: db.create(f"chat{n}", exist_ok=True).info()["last_cycle"], range(8))
            assert list(made) == [0] * 8


def dots(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        for name in (".", ".."):
            with refused("E_DOCUMENT_INVALID"):
                db.context(name).exists()
            with refused("E_DOCUMENT_INVALID"):
                db.create(name)
            with refused("E_DOCUMENT_INVALID"):
                chat.node(name)
            with refused("E_DOCUMENT_INVALID"), chat.edit() as batch:
                batch.add("x", id=name)
        with refused("E_DOCUMENT_INVALID"):
            db.context("").exists()
        with chat.edit() as batch:
            assert batch.add("x", id="../a/./b") == "../a/./b"
        assert chat.node("../a/./b", "working")["text"] == "x"


def redirect(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    with stub(moved) as server, refused("E_ANSWER"):
        pactctx.connect(server.url, "t").context("chat").exists()


def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 14\r\n\r\n<h1>Sorry</h1>"
    with stub(text) as server, refused("E_ANSWER") as error:
        pactctx.connect(server.url, "t").context("chat").info()
    assert error.value.status == 502
    with stub(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n<h1>Sorry</h1>") as server:
        with refused("E_ANSWER"):
            pactctx.connect(server.url, "t").context("chat").info()
    for other in (b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", OK, OK.replace(b"{}", b"[]")):
        with stub(other) as server, refused("E_ANSWER"):
            pactctx.connect(server.url, "t").context("chat").exists()
    half = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":"
    with stub(half) as server, refused("E_UNREACHABLE"):
        pactctx.connect(server.url, "t").context("chat").info()


def address(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("127.0.0.1:7741", "ftp://127.0.0.1", "http://"):
        with refused("E_DOCUMENT_INVALID"):
            pactctx.connect(url, "t")
    with refused("E_DOCUMENT_INVALID"):
        pactctx.open("")
    with refused("E_DOCUMENT_INVALID"):
        pactctx.connect("", "t")
    for seconds in (0, -1, float("nan")):
        with refused("E_DOCUMENT_INVALID"):
            pactctx.connect("http://127.0.0.1:9", "t", timeout=seconds)


def many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        db.create("chat")
        with ThreadPoolExecutor(200) as pool:
            assert list(pool.map(lambda _: db["chat"].info()["last_cycle"], range(200))) == [0] * 200

        async def ask() -> list[bool]:
            async with pactctx.connect_async(db._transport._url, db._transport._token) as other:
                return await asyncio.gather(*(other.context("chat").exists() for _ in range(200)))

        assert asyncio.run(ask()) == [True] * 200


def busy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = b'{"name":"chat","edition":"canonical","first_cycle":1,"last_cycle":0,"cycles":0,"revision":1}'
    with stub(TOO_MANY, TOO_MANY, OK.replace(b"2\r\n\r\n{}", b"%d\r\n\r\n%s" % (len(made), made))) as server:
        assert pactctx.connect(server.url, "t").create("chat").name == "chat"
        assert server.asked == 3


def new_token(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        with refused("E_UNAUTHORIZED"):
            pactctx.connect(db._transport._url, "wrong").create("x")
        command = [os.environ["PACT_BINARY"], "token", "add", "new", "--write", "--db", str(folder / "a.db")]
        told = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
        pactctx.connect(db._transport._url, json.loads(told)["token"]).create("chat")


def closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = pactctx.open(folder / "a.db")
    db.close()
    db.close()
    with refused("E_CLOSED"):
        db.create("chat")


def typing_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pactctx.open(folder / "a.db") as db:
        chat = db.create("chat")
        with refused("E_CONTEXT_NOT_FOUND"):
            db["caht"].commit()
        with refused("E_DOCUMENT_INVALID") as error:
            chat.commit(policy="agnet")
        assert "agent" in str(error.value.remedy)
        with refused("E_DOCUMENT_INVALID") as error, chat.edit() as batch:
            batch.add("x", tll=3)  # type: ignore[call-arg]
        assert "tll is no member of a node" in error.value.detail and "ttl" in str(error.value.remedy)
        assert list(db) == ["chat"] and chat.info()["last_cycle"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals and scripts of a shell")
@pytest.mark.parametrize("fault", [f for f in FAULTS if "python" not in f.get("not", {})], ids=lambda f: f["fault"])
def test_fault(fault: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    globals()[fault["fault"].lower().replace(" ", "_")](tmp_path, monkeypatch)
