"""Items of a framework as blocks: what an item says of itself, and what a context says of its blocks.

An item is what the framework counts in: a message, a call, a result, a line of a transcript.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
ITEM, DIGEST = "pactctx:item", "pactctx:digest"


@dataclass(frozen=True)
class Block:
    """What an item is as a block."""

    role: str
    kind: str
    text: tuple[str | int, ...] = ()
    """Where the item has the text that is the content; empty if the content is the whole item."""
    call: str = ""
    """Of a call and its result, the id that they share."""
    content: Any = None
    """Of a call, its name and arguments."""
    pinned: bool = False


class Form(Protocol[T]):
    """How a framework writes its items."""

    def plain(self, item: T) -> dict[str, Any]:
        """Returns an item as JSON that says what a model reads of it, and no times."""
        ...

    def block(self, plain: dict[str, Any]) -> Block:
        """Says what an item is as a block."""
        ...

    def with_text(self, item: T, text: str) -> T:
        """Returns an item with another text, where a policy shortened it."""
        ...

    def stand_in(self, text: str, role: str, call: str) -> T:
        """Returns an item for a block that the framework did not give: a stub, or a note; call is that of a result."""
        ...


@dataclass
class Held:
    """A block that is in a context."""

    node: str
    digest: str
    """Of the item that it was made of; empty if it was made of none."""
    plain: dict[str, Any] | None
    text: str
    role: str
    shaped: bool
    calls: list[str]
    """The blocks that a result answers."""
    turn: str = ""
    """The sealed turn that it is in; empty in the active head."""
    sealed: bool = False
    """It is in the core of its turn, where nothing goes alone."""


def put(item: dict[str, Any], where: Sequence[str | int], value: Any) -> dict[str, Any]:
    """Returns a copy of an item with a value at a place."""
    made = copy.deepcopy(item)
    at: Any = made
    for step in where[:-1]:
        at = at[step]
    at[where[-1]] = value
    return made


def at(item: Any, where: Sequence[str | int]) -> Any:
    """Returns the value at a place of an item, None if there is no such place."""
    for step in where:
        try:
            item = item[step]
        except (KeyError, IndexError, TypeError):
            return None
    return item


def digest(plain: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]


def turns(root: dict[str, Any]) -> Iterator[Held]:
    """Yields the blocks of a snapshot outside its header, in the order of the thread."""
    _, sealed, head = root["children"]
    for turn in sealed.get("children", ()):
        for child in turn.get("children", ()):
            yield from blocks(child, turn["id"], child["offset"] == 0)
    yield from blocks(head)


def blocks(node: dict[str, Any], turn: str = "", sealed: bool = False) -> Iterator[Held]:
    """Yields the blocks at and below a node, in the order of the thread."""
    for child in node.get("children", ()):
        yield from blocks(child, turn, sealed)
    if "content" not in node:
        return
    content = node["content"]
    name = node.get(DIGEST, "")
    text = content if isinstance(content, str) else json.dumps(content)
    refs = node.get("refs", []) if node.get("kind") == "result" else []
    plain = node.get(ITEM, content) if name else None
    yield Held(node["id"], name, plain, text, node.get("role", ""), "pact:original" in node, refs, turn, sealed)
