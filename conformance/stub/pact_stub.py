#!/usr/bin/env python3
"""A program to start an implementation of PACT from, in any language.

It speaks the command line of docs/conformance.md and has three commands: hash, thread, and select in edition v0.1, as the
documents say it and nothing else. Write a function for the next command, add it to COMMANDS, the profile that it completes
to capabilities, and run

    pact conformance --persistent --against 'python3 conformance/stub/pact_stub.py --lines'
"""

import contextlib
import hashlib
import io
import json
import re
import sys
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation


class Refused(Exception):
    """A refusal with a code from the closed list (docs/errors.md)."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def canonical(value):
    """The canonical bytes of a JSON value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_hash(node, edition):
    """The content hash of a node (08 §2.1), "" if JSON cannot express its content (08 §8.2)."""
    names = ("content",) if edition == "1.0" else ("content", "kind", "role")
    hashed = {name: node.get(name, "") for name in names}
    for name, value in node.items():
        if name.startswith(("content_", "data_")) and name != "content_hash":
            hashed[name] = value
    try:
        return hashlib.sha256(canonical(hashed).encode("ascii")).hexdigest()
    except ValueError:
        return ""


# The headers that a node has if its document leaves them out (08 §5.1, §8.2).
DEFAULTS = {"offset": 0, "priority": 0, "created_at_ns": 0, "creation_index": 0}
EPOCH = datetime(1970, 1, 1)
REGIONS = ["^sys", "^seq", "^ah"]


class Node:
    """A node of a document; one without an id is a core that a turn leaves out."""

    def __init__(self, raw, parent=None):
        self.raw, self.parent, self.depth = {**DEFAULTS, **raw}, parent, None
        instant = EPOCH + timedelta(microseconds=self.raw["created_at_ns"] // 1000)
        self.raw.setdefault("created_at_iso", instant.isoformat() + "Z")
        self.type = raw.get("nodeType", "cb") if parent else "^root"
        self.cls = self.type.split(":")[0]
        if self.cls not in ("mt", "mc", "cb", "seg", "cont", "block") and not self.type.startswith("^"):
            self.cls = "mt" if parent.type == "^seq" else "cb"  # 02 §10: unknown types
        self.cls = {"seg": "mt", "cont": "mc", "block": "cb"}.get(self.cls, self.cls)
        self.children = sorted((Node(c, self) for c in raw.get("children") or []), key=order)
        if self.cls == "mt" or self.type == "^ah":
            self.leave_out_core()
        if self.type == "^seq":
            turns = [c for c in self.children if c.cls == "mt"]
            for i, turn in enumerate(reversed(turns)):
                turn.depth = i + 1

    def leave_out_core(self):
        """Puts blocks at offset 0 into a core (02 §4.2), which the fixtures leave out."""
        inside = [c for c in self.children if c.raw["offset"] == 0]
        if inside and not any(c.cls == "mc" for c in inside):
            core = Node({"nodeType": "mc", "offset": 0}, self)
            core.children = inside
            for c in inside:
                c.parent = core
            self.children = sorted([c for c in self.children if c not in inside] + [core], key=order)

    def real_parent(self):
        return self.parent if self.parent is None or "id" in self.parent.raw else self.parent.parent

    def below(self):
        """The node and all below it, in document order."""
        yield self
        for child in self.children:
            yield from child.below()

    def ancestors(self):
        while self.parent:
            self = self.parent
            yield self


def order(node):
    """The canonical order of siblings (02 §4.3)."""
    raw = node.raw
    region = REGIONS.index(node.type) if node.type in REGIONS else 0
    return region, raw["offset"], raw["created_at_ns"], raw["creation_index"], raw.get("id", "")


PSEUDOS = "pre|core|post|depth|first|last|nth"
NAME = r"[A-Za-z0-9_](?:[\w-]|:(?!(?:%s)\b))*" % PSEUDOS
STRING = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
ATTR = r"\[\s*(?P<key>%s)\s*(?:(?P<op><=|>=|!=|=|<|>)\s*(?P<value>%s|[^\]\s'\"\[]+)\s*)?\]" % (NAME, STRING)
TOKEN = re.compile(r"\^(?P<root>sys|seq|ah|root)\b|#(?P<id>%s)|\.(?P<type>%s)|(?P<any>\*)|%s"
                   r"|:(?P<pseudo>%s)\b(?:\(\s*(?P<args>[^)]*?)\s*\))?" % (NAME, NAME, ATTR, PSEUDOS))
ADDRESS = re.compile(r"@(t-?\d+|c\d+|\*)(?:\s+|$)")


def invalid(message):
    return Refused("E_SELECTOR_INVALID", message)


def parse(text):
    """The steps of each group: (combinator, tokens). 04 §4."""
    groups, steps, combinator, at = [], [], " ", 0
    while True:
        space = re.compile(r"\s*").match(text, at)
        at = space.end()
        if at < len(text) and text[at] in ",>":
            if not steps or combinator == ">":
                raise invalid("a step is missing at %d" % at)
            if text[at] == ",":
                groups, steps = groups + [steps], []
            combinator, at = ">" if text[at] == ">" else " ", at + 1
            continue
        if at == len(text):
            break
        tokens, found = [], TOKEN.match(text, at)
        while found:
            tokens.append(found.groupdict())
            at, found = found.end(), TOKEN.match(text, found.end())
        if not tokens or at < len(text) and text[at] not in " \t\n,>":
            raise invalid("not a step at %d" % at)
        steps.append((combinator, tokens))
        combinator = " "
    if not steps or combinator == ">":
        raise invalid("a step is missing at the end")
    return groups + [steps]


def value_of(text):
    """The value that an attribute is compared with: null, a number or a text."""
    if text[0] in "'\"":
        return re.sub(r"\\([\\'\"])", r"\1", text[1:-1])
    if text in ("null", "None"):
        return None
    if re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
        return Decimal(text)
    if not re.fullmatch(NAME, text):
        raise invalid("not a value: " + text)
    return text


def number(value):
    try:
        return Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        return None


def compares(have, op, want):
    """04 §5."""
    if isinstance(have, bool):
        have = "true" if have else "false"
    if isinstance(have, (int, float)):
        have = Decimal(str(have))
    if op in ("=", "!="):
        return (type(have) is type(want) and have == want) == (op == "=")
    if have is None or want is None:
        return False
    a, b = number(have), number(want)
    if a is None or b is None:
        a, b = str(have), str(want)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def depths(args):
    """The depths that :depth(…) names."""
    wanted = set()
    for item in args.split(","):
        found = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", item)
        if not found or int(found[2] or found[1]) < int(found[1]):
            raise invalid("not depths: " + args)
        wanted |= set(range(int(found[1]), int(found[2] or found[1]) + 1))
    return wanted


def one_of_siblings(nodes, pseudo, args):
    """:first, :last, :nth(n) among those of one parent."""
    if pseudo == "nth" and not re.fullmatch(r"[1-9]\d*", args or ""):
        raise invalid("nth takes a number from 1")
    i = {"first": 0, "last": -1}.get(pseudo, int(args or 1) - 1)
    families = {}
    for n in nodes:
        families.setdefault(id(n.real_parent()), []).append(n)
    return [f[i] for f in families.values() if i < len(f)]


def keep(nodes, token):
    """Those of the nodes that a token of a step lets pass."""
    if token["pseudo"] in ("first", "last", "nth"):
        return one_of_siblings(nodes, token["pseudo"], token["args"])
    if token["pseudo"] == "depth":
        wanted = depths(token["args"] or "")
        return [n for n in nodes if n.depth in wanted]
    if token["pseudo"]:
        signs = {"pre": lambda o: o < 0, "core": lambda o: o == 0, "post": lambda o: o > 0}
        return [n for n in nodes if n.parent and signs[token["pseudo"]](n.raw["offset"])]
    if token["root"]:
        return [n for n in nodes if n.type == "^" + token["root"]]
    if token["id"]:
        return [n for n in nodes if n.raw.get("id") == token["id"]]
    if token["type"]:
        return [n for n in nodes if token["type"] in (n.cls, n.type)]
    if token["key"] and token["op"]:
        want = value_of(token["value"])
        return [n for n in nodes if compares(n.raw.get(token["key"]), token["op"], want)]
    return [n for n in nodes if token["any"] or n.raw.get(token["key"]) is not None]


def select(document, selector):
    """The ids that a selector selects in a document."""
    root = Node(document["root"])
    every = list(root.below())
    address = ADDRESS.match(selector)
    if selector.startswith("@") and not address:
        raise invalid("not an address")
    groups = parse(selector[address.end() if address else 0:])
    if address and address[1] not in ("*", "t0", "t-0", "c%d" % document.get("cycle", 0)):
        raise Refused("E_SNAPSHOT_NOT_FOUND", address[0])
    found = set()
    for steps in groups:
        context = None
        for combinator, tokens in steps:
            nodes = every
            if context is not None and combinator == " ":
                nodes = [n for n in every if any(a in context for a in n.ancestors())]
            elif context is not None:
                nodes = [n for n in every if n.parent in context or n.real_parent() in context]
            for token in tokens:
                nodes = keep(nodes, token)
            context = set(nodes)
        found |= context
    return [n.raw["id"] for n in every if n in found and "id" in n.raw]


def read(flags):
    with open(flags["file"], encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as err:
            raise Refused("E_DOCUMENT_INVALID", str(err)) from err


def thread(document):
    """The canonical thread (02 §12)."""
    blocks = []
    for n in Node(document["root"]).below():
        if n.cls == "cb":
            above = [a.type for a in n.ancestors()]
            role = n.raw.get("role") or ("system" if "^sys" in above else "user")
            content = json.loads(canonical(n.raw.get("content")))  # the keys inside are sorted
            block = {"id": n.raw["id"], "role": role, "kind": n.raw.get("kind"), "content": content}
            blocks.append(json.dumps(block, separators=(",", ":")))
    return "[" + ",".join(blocks) + "]"


# Each command gets its flags by name and the words after "--", and returns what it prints.
COMMANDS = {
    "capabilities": lambda flags, words: canonical({"editions": ["v0.1"], "profiles": ["select-v01"]}),
    "hash": lambda flags, words: content_hash(read(flags), flags.get("edition", "")),
    "select": lambda flags, words: canonical(select(read(flags), words[0])),
    "thread": lambda flags, words: thread(read(flags)),
}

# The flags that take no value; all others take the next word.
SWITCHES = {"json", "compact", "ids"}


def split(words):
    """Splits the words after the command into flags and arguments."""
    flags, rest, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            return flags, rest + words
        if not word.startswith("--"):
            rest.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        flags[name] = value if equals or name in SWITCHES else words.pop(0)
    return flags, rest


def main(words):
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        print("commands so far:", ", ".join(sorted(COMMANDS)), file=sys.stderr)
        return 2
    try:
        print(command(*split(words[1:])))
    except Refused as refusal:
        print(canonical({"error": {"code": refusal.code, "message": str(refusal)}}))
        return 1
    except (LookupError, OSError, ValueError) as err:  # such as a flag that is not known here
        print(repr(err), file=sys.stderr)
        return 2
    return 0


def lines():
    """The persistent form: a call a line on standard input, its answer a line on standard output."""
    for line in sys.stdin:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            code = main(json.loads(line)["args"])
        print(json.dumps({"out": out.getvalue(), "err": err.getvalue(), "exit": code}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--lines"]:
        lines()
    else:
        sys.exit(main(sys.argv[1:]))
