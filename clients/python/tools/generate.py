"""Writes what is made from other files: the types of the answers and the front end without async.

python tools/generate.py           # writes types.py, _sync.py and _sync_context.py in src/pactctx
python tools/generate.py --check   # fails if one of them is not what would be written
"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
PACKAGE = HERE / "src" / "pactctx"
API = HERE.parent.parent / "docs" / "openapi.json"

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def annotation(schema: dict[str, Any]) -> str:
    """Returns a schema as an annotation."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " | ".join(annotation(s) for s in schema["anyOf"])
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(v) for v in schema['enum'])}]"
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    made = []
    for kind in kinds:
        if kind == "array":
            made.append(f"list[{annotation(schema.get('items', {}))}]")
        elif kind == "object":
            made.append(f"dict[str, {annotation(schema.get('additionalProperties') or {})}]")
        else:
            made.append(PLAIN[kind])
    return " | ".join(made) or "Any"


def types() -> str:
    """Returns the module of types: a TypedDict for each schema of the API."""
    lines = [
        '"""What the server answers and takes.',
        "",
        "Made by tools/generate.py from docs/openapi.json, whose",
        f"SHA-256 is {hashlib.sha256(API.read_bytes()).hexdigest()}.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any, Literal",
        "",
        "if TYPE_CHECKING:",
        "    from typing_extensions import NotRequired, TypedDict",
        "else:",
        "    from typing import TypedDict",
    ]
    api = json.loads(API.read_text())
    for name, schema in sorted(api["components"]["schemas"].items()):
        fields = []
        for field, of in sorted(schema.get("properties", {}).items()):
            made = annotation(of)
            fields.append((field, made if field in schema.get("required", []) else f"NotRequired[{made}]"))
        lines += ["", ""]
        if any(keyword.iskeyword(f) or not f.isidentifier() for f, _ in fields):
            lines += [f"{name} = TypedDict(", f'    "{name}",', "    {"]
            lines += [f"        {json.dumps(f)}: {json.dumps(a)}," for f, a in fields]
            lines += ["    },", ")"]
        else:
            lines += [f"class {name}(TypedDict):"] + [f"    {f}: {a}" for f, a in fields]
            lines += [] if fields else ["    pass"]
    lines += ["", "", "# What the answer to a request has in any case; {} stands for a name."]
    lines += ["ANSWERS: dict[tuple[str, ...], set[str]] = {"]
    for where, operations in api["paths"].items():
        for method, operation in operations.items():
            needs = required(api, operation)
            if needs:
                key = (method.upper(), *re.sub(r"{\w+}", "{}", where).split("/")[1:])
                lines += [f"    {json.dumps(key)[1:-1].join('()')}: {{{json.dumps(needs)[1:-1]}}},"]
    return "\n".join([*lines, "}"]) + "\n"


def required(api: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """Returns the members that the answer to an operation has in any case."""
    content = next(of.get("content", {}) for status, of in operation["responses"].items() if status.startswith("2"))
    if list(content) != ["application/json"]:
        return []
    name = content["application/json"]["schema"].get("$ref", "").rsplit("/", 1)[-1]
    return list(api["components"]["schemas"].get(name, {}).get("required", []))


def sync(source: str) -> str:
    """Returns a module of the front end without async, of the words of the one with it."""
    text = (PACKAGE / source).read_text()
    for pattern, put in [
        (r"\.a(send|start)\(", r".\1("),
        (r"await asyncio\.to_thread\(([\w.]+)\)", r"\1()"),
        (r"import asyncio\n", ""),
        (r"\bawait ", ""),
        (r"\basync (def|for|with)\b", r"\1"),
        (r"__a(enter|exit|iter)__", r"__\1__"),
        (r"\bAsync(Iterator|Generator)\b", r"\1"),
        (r"\bAsync(\w+)", r"\1"),
        (r"\b(open|connect)_async\b", r"\1"),
        (r"Transport\(store=os\.fspath\(store\), timeout=timeout\)", r"\g<0>.start()"),
        (r"\._async\b", "._sync"),
        (r"_async_context\b", "_sync_context"),
        (r"^\"\"\"", f'"""Made by tools/generate.py from {source}.\n\n'),
    ]:
        text = re.sub(pattern, put, text)
    return text


def main() -> None:
    stale = []
    made = {"types.py": types(), "_sync.py": sync("_async.py"), "_sync_context.py": sync("_async_context.py")}
    for name, text in made.items():
        path = PACKAGE / name
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            stale.append(name)
    if stale:
        sys.exit(f"tools/generate.py does not write {' and '.join(stale)} like this: run it")


if __name__ == "__main__":
    main()
