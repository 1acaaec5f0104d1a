#!/usr/bin/env python3
"""A program to start an implementation of PACT from, in any language.

It speaks the command line of docs/conformance.md and has one command, hash. Write
a function for the next command, add it to COMMANDS, and run

    pact conformance --against 'python3 conformance/stub/pact_stub.py'
"""

import hashlib
import json
import sys


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


def hash_command(flags, words):
    with open(flags["file"], encoding="utf-8") as file:
        try:
            return content_hash(json.load(file), flags.get("edition", ""))
        except ValueError as err:
            raise Refused("E_DOCUMENT_INVALID", str(err)) from err


# Each command gets its flags by name and the words after "--", and returns what it prints.
COMMANDS = {"hash": hash_command}

# The flags that take no value; all others take the next word.
SWITCHES = {"json", "compact", "ids"}


def parse(words):
    """Splits the words after the command into flags and arguments."""
    flags, rest = {}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            return flags, rest + words
        if not word.startswith("--"):
            rest.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if not equals and name not in SWITCHES:
            value = words.pop(0)
        flags[name] = value
    return flags, rest


def main(words):
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        print("commands so far:", ", ".join(sorted(COMMANDS)), file=sys.stderr)
        return 2
    try:
        flags, rest = parse(words[1:])
        print(command(flags, rest))
    except Refused as refusal:
        print(canonical({"error": {"code": refusal.code, "message": str(refusal)}}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
