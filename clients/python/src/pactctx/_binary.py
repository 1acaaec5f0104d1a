"""Finds the program, and starts a server of it that ends with this process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, cast

from ._errors import error, unreachable

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
    raise FileNotFoundError(
        "there is no program pact: install the wheel of your platform, or set PACT_BINARY to its path"
    )


class Child:
    """A server on a port of this machine, for one store and this process alone.

    The child holds the other end of its standard input. The system closes this end whenever this process ends, also if
    it is killed, and then the child ends too.
    """

    def __init__(self, store: str) -> None:
        self.store = store
        self._complaints: IO[bytes] = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [find(), "serve", "--until-eof", "--json", "--addr", "127.0.0.1:0", "--db", store],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                start_new_session=True,  # Ctrl-C is for this process, which may still have to write
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
            line = cast("IO[bytes]", self._process.stdout).readline()
            told = json.loads(line) if line else {}
            if "address" not in told:
                self._process.wait()
                raise error(self._refusal(told.get("error")))
            self.url: str = told["address"]
            self.token: str = told["token"]
        except BaseException:
            self.close()
            raise

    def _refusal(self, told: dict[str, Any] | None) -> dict[str, Any]:
        """Returns why the program did not start, in the form of a problem of the server."""
        if told:
            return {"code": told["code"], "detail": told["message"], "remedy": told.get("details", {}).get("remedy")}
        self._complaints.seek(0)
        text = self._complaints.read().decode("utf-8", "replace").strip()
        return {"code": "E_UNREACHABLE", "detail": f"the server of {self.store} did not start: {text}"}

    def gone(self) -> Exception | None:
        """Returns an error that says how the server ended, if it did."""
        try:
            code = self._process.wait(0.5)  # a connection breaks a moment before the process has ended
        except subprocess.TimeoutExpired:
            return None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return unreachable(
            f"the server of {self.store} ended ({how})", "open the store again: what was acknowledged is in it"
        )

    def close(self) -> None:
        """Ends the server: it answers what it was asked, then goes."""
        process = getattr(self, "_process", None)
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                pipe.close()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._complaints.close()
