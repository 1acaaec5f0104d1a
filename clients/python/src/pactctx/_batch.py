"""Edits that are made together, all or none."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Edit, LifecyclePolicy


class _Common(TypedDict, total=False):
    kind: str | None
    """What it is: text if the content is a str, call, result, reasoning or a word of your own."""
    key: str | None
    ttl: int | None
    """Cycles until it expires; never if absent."""
    priority: int | None
    """Pruning takes low priorities first."""
    offset: int | None
    """Below 0 before the core of its turn, 0 in it, above 0 after it."""
    tags: list[str] | None
    refs: list[str] | None
    """Ids of nodes that it refers to."""
    pinned: bool | None
    """Pruning leaves it alone."""
    mime: str | None
    encoding: str | None
    provenance: str | None


class Headers(_Common, total=False):
    """The headers of a node, besides its content and its role."""

    id: str | None
    """New to the whole history; made if absent."""
    nodeType: str | None
    """A block if absent."""
    removable: bool | None
    """A group that goes when it is empty."""
    attrs: Mapping[str, Any] | None
    """Custom attributes: data_*, content_* or a name with a colon."""


class Changes(_Common, total=False):
    """What an update sets."""

    content: Any
    role: str | None


class Batch:
    """Collects edits of a context. `ids` has the node of each once they are made: a move may give a new id."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.ids: list[str] = []

    def add(
        self,
        content: Any = None,
        *,
        role: str | None = None,
        into: str | None = None,
        at: str | None = None,
        **node: Unpack[Headers],
    ) -> str:
        """Adds a node to `^ah`, to `into` (`^sys`, or the id of a group), or at a position such as `(d0, end)`.

        The content is any JSON value. Returns the id of the node: the one that you give, or a new one.
        """
        made = _node(content, role, node)
        edit: Edit = {"op": "add", "node": made}
        if at is not None:
            edit["at"] = at
        if at is None or into is not None:
            edit["into"] = into or "^ah"
        self.edits.append(edit)
        return cast("str", made["id"])

    def result(self, call: str, content: Any, *, role: str = "tool", **node: Unpack[Headers]) -> str:
        """Adds the result of the call with this id, beside it or, if that is sealed, to the active head."""
        node.setdefault("kind", "result")
        made = _node(content, role, node)
        self.edits.append({"op": "result", "id": call, "node": made})
        return cast("str", made["id"])

    def update(self, id: str, headers: Mapping[str, Any] | None = None, **more: Unpack[Changes]) -> None:
        """Sets headers of a node; None takes one away. `headers` has those of other names, such as `data_x`."""
        self.edits.append({"op": "update", "id": id, "set": {**(headers or {}), **more}})

    def move(self, id: str, *, into: str | None = None, offset: int = 0, at: str | None = None) -> None:
        """Moves a node into a group, or to a position."""
        if at is not None and into is None:
            self.edits.append({"op": "move", "id": id, "at": at})
        else:
            self.edits.append({"op": "move", "id": id, "into": into or "^ah", "offset": offset})

    def remove(self, id: str) -> None:
        """Takes a node out of the working state. What is sealed goes only by pruning, as a part of a commit."""
        self.edits.append({"op": "remove", "id": id})

    def reorder(self, ids: Sequence[str]) -> None:
        """Puts siblings in this order."""
        self.edits.append({"op": "reorder", "ids": list(ids)})

    def keep_policy(self, policy: LifecyclePolicy | str | None) -> None:
        """Has the context keep a policy, or the ready one of a name. Each later commit follows it that has none of its
        own; None keeps none."""
        self.edits.append({"op": "policy", "policy": policy} if policy is not None else {"op": "policy"})


def _node(content: Any, role: str | None, headers: Mapping[str, Any]) -> Any:
    node = {k: v for k, v in headers.items() if v is not None}
    # The server would make an id too, but tell it only after the edit, when others can no longer refer to it.
    node.setdefault("id", f"node:{uuid.uuid4().hex[:16]}")
    if role is not None:
        node["role"] = role
    if content is not None:
        node["content"] = content
    if isinstance(content, str):
        node.setdefault("kind", "text")
    return node
