"""The errors, one for each kind of code in docs/errors.md and docs/server.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Error(Exception):
    """A refused request.

    `code` is of a closed list, `detail` says what is wrong and `remedy` what to do about it. `status` is that of
    HTTP, 0 if there was no answer. `node`, `token`, `offset` (bytes) and `line` say where, if that is known.
    """

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.code: str = problem["code"]
        self.detail: str = problem["detail"]
        self.remedy: str | None = problem.get("remedy")
        self.status: int = problem.get("status", 0)
        self.node: str | None = problem.get("node")
        self.token: str | None = problem.get("token")
        self.offset: int | None = problem.get("offset")
        self.line: int | None = problem.get("line")
        about = f" (node {self.node})" if self.node else ""
        text = f"{self.detail}{about} [{self.code}]"
        super().__init__(f"{text}: {self.remedy}" if self.remedy else text)


class NotFound(Error, LookupError):
    """There is no such context, snapshot, node or attempt."""


class Conflict(Error):
    """Others committed since; `meanwhile` has what they wrote. `refresh()` the context and try again."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(problem)
        self.meanwhile: list[dict[str, Any]] = problem.get("meanwhile") or []


class Invalid(Error, ValueError):
    """A selector, a document or an edit breaks a rule, or is over a limit."""


class Forbidden(Error):
    """The token is wrong, or does not open this."""


class Unavailable(Error):
    """The store or the server cannot answer now, or the server is gone."""


_KINDS: dict[str, type[Error]] = {
    "E_CONFLICT": Conflict,
    "E_PRECONDITION": Conflict,
    "E_UNAUTHORIZED": Forbidden,
    "E_FORBIDDEN": Forbidden,
    "E_HOST": Forbidden,
    "E_ORIGIN": Forbidden,
    "E_ANSWER": Unavailable,
    "E_BUSY": Unavailable,
    "E_CLOSED": Unavailable,
    "E_PROGRAM": Unavailable,
    "E_STORE": Unavailable,
    "E_STOPPING": Unavailable,
    "E_TOO_MANY": Unavailable,
    "E_UNREACHABLE": Unavailable,
}


def error(problem: Mapping[str, Any]) -> Error:
    """Returns the error of a problem as the server describes it."""
    code = problem["code"]
    kind = _KINDS.get(code, Error)
    if code.endswith("_NOT_FOUND"):
        kind = NotFound
    elif kind is Error and problem.get("status", 0) in (0, 400, 413, 422):
        kind = Invalid
    return kind(problem)


def invalid(detail: str, remedy: str) -> Error:
    """Returns the error of an argument that makes no sense."""
    return error({"code": "E_DOCUMENT_INVALID", "detail": detail, "remedy": remedy})


def no_answer(detail: str, status: int) -> Error:
    """Returns the error of an answer that no server of pact gives."""
    remedy = "check that the address is that of pact serve"
    return error({"code": "E_ANSWER", "detail": detail, "remedy": remedy, "status": status})


def unreachable(detail: str, remedy: str) -> Error:
    """Returns the error of a server that does not answer."""
    return error({"code": "E_UNREACHABLE", "detail": detail, "remedy": remedy})
