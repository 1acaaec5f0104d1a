"""Finds the program, and starts a server of it that ends with this process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, cast

from ._errors import error, unreachable

PATIENCE = 15  # seconds for a server to end
_NAME = "pact.exe" if sys.platform == "win32" else "pact"


def find() -> str:
    """Returns the path of the program: `PACT_BINARY`, the one of this wheel, or the first on the path."""
    named = os.environ.get("PACT_BINARY")
    if named:
        return named
    brought = Path(__file__).parent / "bin" / _NAME
    if brought.is_file():
        return str(brought)
    on_path = shutil.which("pactctx") or shutil.which("pact")
    if on_path:
        return on_path
    raise error(
        {
            "code": "E_PROGRAM",
            "detail": "there is no program pact",
            "remedy": "install the wheel of your platform, or set PACT_BINARY to its path",
        }
    )


class Child:
    """A server on a port of this machine, for one store and this process alone.

    The child holds the other end of its standard input. The system closes this end whenever this process ends, also if
    it is killed, and then the child ends too.
    """

    def __init__(self, store: str) -> None:
        self.store = store
        self.own = True  # of this process, not of the one that it was forked from
        self._complaints: IO[bytes] = tempfile.TemporaryFile()
        command = [find(), "serve", "--until-eof", "--json", "--addr", "127.0.0.1:0", "--db", store]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                start_new_session=True,  # Ctrl-C is for this process, which may still have to write
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
        except OSError as failed:
            self._complaints.close()
            raise error(
                {
                    "code": "E_PROGRAM",
                    "detail": f"the program {command[0]} does not run: {failed.strerror}",
                    "remedy": "install the wheel of your platform, or set PACT_BINARY to its path",
                }
            ) from failed

    def started(self, timeout: float) -> tuple[str, str]:
        """Waits until it serves, and returns its address and its token."""
        late = threading.Timer(timeout, self.kill)
        late.daemon = True
        late.start()
        try:
            line = cast("IO[bytes]", self._process.stdout).readline()
        finally:
            late.cancel()
        try:
            told = json.loads(line)
            return told["address"], told["token"]
        except (ValueError, KeyError, TypeError):
            pass
        self.kill()
        self._process.wait()
        try:
            refused = json.loads(line)["error"]
            problem = {"code": refused["code"], "detail": refused["message"]}
            problem["remedy"] = refused.get("details", {}).get("remedy")
        except (ValueError, KeyError, TypeError):
            words = self._words() or f"it said nothing within {timeout:g} s"
            problem = {"code": "E_PROGRAM", "detail": f"the server of {self.store} did not start: {words}"}
        raise error(problem)

    def _words(self) -> str:
        """Returns the last that the program said, of a crash what it says before it lists what it was doing."""
        self._complaints.seek(max(0, os.fstat(self._complaints.fileno()).st_size - 65536))
        text = self._complaints.read().decode("utf-8", "replace")
        return text.split("\n\ngoroutine ")[0].strip()[-500:]

    def gone(self) -> Exception | None:
        """Returns an error that says how the server ended, if it did."""
        if not self.own:
            return None
        try:
            code = self._process.wait(0.5)  # a connection breaks a moment before the process has ended
        except subprocess.TimeoutExpired:
            return None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        words = self._words()
        return unreachable(
            f"the server of {self.store} ended ({how}){': ' + words if words else ''}",
            "open the store again: what was acknowledged is in it",
        )

    def kill(self) -> None:
        """Ends the server whatever it does, with what it has started: the program may be a script."""
        if sys.platform == "win32":
            self._process.kill()
        elif self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def let_go(self) -> None:
        """Leaves the server to the process that this one was forked from."""
        self.own = False
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.returncode = 0  # it is no child of this process

    def close(self, timeout: float) -> None:
        """Ends the server: it answers what it was asked, then goes, or is ended after some time."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(min(PATIENCE, timeout))
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._complaints.close()
