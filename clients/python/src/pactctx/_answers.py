"""Tells the answers of pact from those of other servers."""

from __future__ import annotations

from typing import Any

from .types import ANSWERS


def has_members(method: str, where: str, answer: Any) -> bool:
    """Reports whether the answer to a request has the members that docs/openapi.json requires of it."""
    asked = (method, *where.split("/")[1:])
    for route, needs in ANSWERS.items():
        if len(route) == len(asked) and all(r in (a, "{}") for r, a in zip(route, asked)):
            return bool(needs <= answer.keys())
    return True
