"""PACT for Python: what a model sees as a tree with rules, and every call of it as a snapshot.

>>> import pactctx
>>> with pactctx.open("chat.db") as db:
...     chat = db.create("chat")
...     with chat.edit() as batch:
...         rules = batch.add("Answer in one sentence.", into="^sys", role="system")
...         question = batch.add("What is a context tree?", role="user")
...     snapshot = chat.commit()
...     [message["role"] for message in snapshot.thread("openai")]
['system', 'user']

`open` starts a server for this process, `connect` speaks to one that runs; `open_async` and `connect_async` are the
same for asyncio. Every refusal is an `Error` with a code and a remedy.
"""

from . import types
from ._async import AsyncDatabase, connect_async, open_async
from ._async_context import AsyncContext, AsyncSnapshot
from ._batch import Batch
from ._errors import Conflict, Error, Forbidden, Invalid, NotFound, Unavailable
from ._show import Picture
from ._sync import Database, connect, open
from ._sync_context import Context, Snapshot

__all__ = [
    "AsyncContext",
    "AsyncDatabase",
    "AsyncSnapshot",
    "Batch",
    "Conflict",
    "Context",
    "Database",
    "Error",
    "Forbidden",
    "Invalid",
    "NotFound",
    "Picture",
    "Snapshot",
    "Unavailable",
    "connect",
    "connect_async",
    "open",
    "open_async",
    "types",
]
