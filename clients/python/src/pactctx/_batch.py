"""Edits that are made together, all or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .types import Edit, LifecyclePolicy


class Batch:
    """Collects edits of a context. `ids` has the node of each once they are made."""

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
        **node: Any,
    ) -> None:
        """Adds a node to `^ah`, to `into` (`^sys`, or the id of a group), or at a position such as `(d0, end)`.

        The content is any JSON value. `node` has the other headers: kind (text for a str), id, key, ttl (cycles),
        priority, offset, tags, refs, pinned, attrs, mime, nodeType. Give an id if an edit of the same batch refers
        to the node.
        """
        edit: Edit = {"op": "add", "node": _node(content, role, node)}
        if at is not None:
            edit["at"] = at
        if at is None or into is not None:
            edit["into"] = into or "^ah"
        self.edits.append(edit)

    def result(self, call: str, content: Any, *, role: str = "tool", **node: Any) -> None:
        """Adds the result of the call with this id, beside it or, if that is sealed, to the active head."""
        self.edits.append({"op": "result", "id": call, "node": _node(content, role, {"kind": "result", **node})})

    def update(self, id: str, headers: Mapping[str, Any] | None = None, **more: Any) -> None:
        """Sets headers of a node; None takes one away."""
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

    def keep_policy(self, policy: LifecyclePolicy | None) -> None:
        """Has the context keep a policy, which each later commit follows that has none of its own; None keeps none."""
        self.edits.append({"op": "policy", "policy": policy} if policy is not None else {"op": "policy"})


def _node(content: Any, role: str | None, headers: Mapping[str, Any]) -> Any:
    node = {k: v for k, v in headers.items() if v is not None}
    if role is not None:
        node["role"] = role
    if content is not None:
        node["content"] = content
    if isinstance(content, str):
        node.setdefault("kind", "text")
    return node
