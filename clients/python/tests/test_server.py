"""The server that `open` starts ends with the program, and a program that goes on without it learns that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pactctx

STARTS = """
import sys, time, pactctx
db = pactctx.open(sys.argv[1])
db.create("chat")
print(db._transport._child._process.pid, flush=True)
{then}
"""


def start(store: Path, then: str) -> tuple[subprocess.Popen[str], int]:
    """Starts a program that opens a store, and returns it with the process of its server."""
    command = [sys.executable, "-c", STARTS.format(then=then), str(store)]
    env = {**os.environ, "PYTHONPATH": str(Path(pactctx.__file__).parents[1])}
    program = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    return program, int(program.stdout.readline())


def ends(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            return True  # it ended; the process that took it over has not asked yet
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("then", ["db.close()", "pass", "raise SystemExit(3)", "raise KeyError"])
def test_server_ends_with_the_program(tmp_path: Path, then: str) -> None:
    program, server = start(tmp_path / "a.db", then)
    program.wait(20)
    assert ends(server)


def test_server_ends_when_the_program_is_killed(tmp_path: Path) -> None:
    program, server = start(tmp_path / "a.db", "time.sleep(60)")
    os.kill(server, 0)
    program.kill()
    program.wait(20)
    assert ends(server)
    with pactctx.open(tmp_path / "a.db") as db:
        assert db.context("chat").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a console has no process groups there")
def test_interrupt_of_the_program_leaves_its_server(tmp_path: Path) -> None:
    then = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job has it ignored
        "try: print('ready', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt: db.create('last'); print('done', flush=True)"
    )
    program, server = start(tmp_path / "a.db", then)
    assert program.stdout is not None and program.stdout.readline() == "ready\n"
    program.send_signal(signal.SIGINT)
    assert program.communicate(timeout=20)[0] == "done\n"
    assert ends(server)


def test_program_learns_that_its_server_was_killed(tmp_path: Path) -> None:
    with pactctx.open(tmp_path / "a.db") as db:
        db.create("chat")
        child = db._transport._child
        assert child is not None
        child._process.kill()
        for _ in range(2):
            with pytest.raises(pactctx.Unavailable, match="signal 9") as gone:
                db.context("chat").info()
            assert gone.value.code == "E_UNREACHABLE" and gone.value.remedy
    with pactctx.open(tmp_path / "a.db") as db:
        assert db.context("chat").exists(), "what was acknowledged is there"


def test_connect_speaks_to_a_server_that_runs(tmp_path: Path) -> None:
    with pactctx.open(tmp_path / "a.db") as db:
        url, token = db._transport._url, db._transport._token
        with pactctx.connect(url, token) as other:
            other.create("chat")
        assert db.context("chat").exists(), "closing a connection leaves the server"
        with pytest.raises(pactctx.Forbidden) as refused:
            pactctx.connect(url, "wrong").create("x")
        assert refused.value.code == "E_UNAUTHORIZED"
    with pytest.raises(pactctx.Unavailable, match="does not answer"):
        pactctx.connect(url, "x").create("x")
    with pytest.raises(pactctx.Unavailable, match="closed"):
        db.create("y")


def test_a_token_that_only_reads_finds_what_is_there(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with pactctx.open(store) as db:
        db.create("chat")
        add = [os.environ["PACT_BINARY"], "token", "add", "reader", "--read", "--db", str(store)]
        token = subprocess.run(add, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        with pactctx.connect(db._transport._url, token) as reader:
            assert reader.create("chat", exist_ok=True).refresh() == 0
            for name, exist_ok in (("chat", False), ("new", True)):
                with pytest.raises(pactctx.Forbidden):
                    reader.create(name, exist_ok=exist_ok)


def test_stores_that_cannot_be_opened_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pactctx.NotFound) as refused:
        pactctx.open(tmp_path / "none" / "a.db")
    assert refused.value.code == "E_NOT_FOUND" and refused.value.remedy == "make the directory first"
    monkeypatch.setenv("PACT_BINARY", str(tmp_path / "missing"))
    with pytest.raises(pactctx.Unavailable, match="E_PROGRAM"):
        pactctx.open(tmp_path / "a.db")


def test_a_connection_that_the_server_closed_is_not_noticed(tmp_path: Path) -> None:
    with pactctx.open(tmp_path / "a.db") as db:
        chat = db.create("chat")
        db.context("chat").info()
        for connection in db._transport._idle:
            assert connection.sock is not None
            connection.sock.shutdown(2)
        with chat.edit() as batch:
            batch.add("once", role="user")
        assert len(chat.thread("openai", "working")) == 1
