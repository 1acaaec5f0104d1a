"""Makes the test vectors of package canon with Python's own json module.

Usage: python3 make_vectors.py

It writes values.json, floats.json and hashes.json beside itself. The pseudo
random numbers are seeded, so a run repeats the files byte for byte.
"""

import hashlib
import json
import math
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def content_hash(node):
    """Chapter 08 section 2.1; a node's own content_hash cannot cover itself."""
    covered = {name: node.get(name, "") for name in ("content", "kind", "role")}
    for name, value in node.items():
        if name.startswith(("content_", "data_")) and name != "content_hash":
            covered[name] = value
    return hashlib.sha256(canonical(covered).encode("utf-8")).hexdigest()


def value_vectors():
    texts = ['"' + "\\u%04x" % c + '"' for c in range(0x100)]
    texts += [
        # Escapes and what needs none.
        r'"\"\\\/\b\f\n\r\t"', '"a/b"', '"\x7f"', '"\u2028\u2029"', '"\ufeff"', '"\uffff"',
        '"gr\u00fc\u00dfe \u65e5\u672c"', '"\U0001f600"', '"\U0010ffff"', '"\U00010000"',
        r'"\u00E9\u00e9"', r'"\u002f"', '""', '"<>&"',
        # Surrogates: pairs join, everything else stays alone.
        r'"\ud83d\ude00"', r'"\uD83D\uDE00"', r'"\ud800"', r'"\udfff"', r'"\udc00\ud800"',
        r'"\ud800\ud800\udc00"', r'"\ud83dx\ude00"', r'"\ud83d\n\ude00"', r'"a\udbffz"', r'"\ud83d\u0041"',
        # Key order by code point, where UTF-16 order would differ.
        '{"\U0001f600":1,"\uffff":2,"\ue000":3,"z":4,"":5,"Z":6,"\x7f":7,"\u00e9":8}',
        r'{"\ud83d\ude00":1,"\uffff":2,"\ud83d":3,"\ude00":4,"\udfff":5,"\ue000":6}',
        '{"b":1,"a":2,"aa":3,"a ":4,"A":5,"_":6,"10":7,"9":8}',
        # Of equal keys the last wins, however they are spelt.
        '{"a":1,"a":2}', r'{"a":1,"b":{"c":1,"c":[]},"\u0061":3}', '{"z":1,"a":1,"z":null,"a":{}}',
        r'{"\ud83d\ude00":1,"' + "\U0001f600" + '":2}',
        # Integers.
        "0", "-0", "1", "-1", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" + "0" * 400,
        "-" + "9" * 4300, "7" * 4300,
        # Numbers that are floats by their spelling.
        "1.0", "-0.0", "-0e0", "0e5", "1e0", "1E5", "1e+5", "1e-5", "1.50", "100e-2", "1e15", "1e16", "1e17",
        "123456789012345678.0", "1e400", "-1e400", "1e-400", "-1e-400", "0.1", "0.30000000000000004",
        "1e999999999999", "0." + "0" * 400 + "1", "2.5" + "0" * 1000, "179769313486231580793e289",
        # What Python adds to JSON.
        "NaN", "Infinity", "-Infinity", '[NaN,Infinity,-Infinity,"NaN"]', '{"a":{"b":[-Infinity]}}',
        # Structures and white space.
        "null", "true", "false", "[]", "{}", "[[],{},[{}]]", ' \t\r\n[ 1 , 2\n,\t3 ]\r\n ',
        '{ "b" : [ true , false , null ] , "a" : { "d" : "x" , "c" : 1.5 } }',
        '[{"z":[{"y":[{"x":{}}]}]},"\u00e9",-0.0,-0]', "[" * 512 + "]" * 512,
        '{"k":' * 511 + "[]" + "}" * 511,
    ]
    return [{"in": text, "out": canonical(json.loads(text))} for text in texts]


def float_vectors():
    floats = [
        0.0, -0.0, 0.1, 1.0, -1.0, 1.5, 1e-3, 1e-4, 1e-5, 9.999999999999999e-05, 0.00010000000000000002,
        1e14, 1e15, 9999999999999998.0, 1e16, 1.0000000000000002e16, 1e17, 1e21, 1e22, 1e23, 123456789012345680.0,
        5e-324, -5e-324, 1e-323, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308,
        -1.7976931348623157e308, 1e100, 1e-100, 2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64, 1 / 3, 2 / 3, math.pi, math.e,
        0.3, 0.1 + 0.2, 4.35, 5e-5, 12345.678, 1e1, 1e9, 1e10, 1e99, math.nan, math.inf, -math.inf,
    ]
    rng = random.Random(20240501)
    while len(floats) < 700:
        f = struct.unpack(">d", struct.pack(">Q", rng.getrandbits(64)))[0]
        if not math.isnan(f):
            floats.append(f)
    floats += [rng.uniform(-1, 1) * 10.0 ** rng.randint(-8, 20) for _ in range(300)]
    floats += [float(rng.randint(-(10**17), 10**17)) for _ in range(100)]
    return [{"bits": struct.pack(">d", f).hex(), "out": canonical(f)} for f in floats]


def hash_vectors():
    nodes = [
        {},
        {"content": ""},
        {"content": "hello"},
        {"content": "hello", "role": "user"},
        {"content": "hello", "kind": "text"},
        {"content": "hello", "role": "user", "kind": "text"},
        {"content": None, "role": None, "kind": None},
        {"content": "gr\u00fc\u00dfe \u65e5\u672c \U0001f600 \x7f\u2028", "role": "b\u00e9ta", "kind": "\U0010ffff"},
        {"content": 'line\n\ttab "quoted" \\ / \x00', "role": "assistant"},
        {"content": "\ud800 alone"},
        {"content": {"b": [1, 2.0, None], "a": {"\U0001f600": True, "\uffff": False}}, "kind": "tool"},
        {"content": [], "data_": 1, "content_": 2},
        {"content": "x", "content_type": "markdown", "data_source": {"url": "http://x/?a=1&b=2"}, "other": 1},
        {"content": "x", "content_hash": "0" * 64},
        {"content": "x", "content_a": 1, "content_hash": "ff", "content_z": [-0.0, 1e16, 10**30], "data_a": "\u00e9"},
        {"content": "x", "data_\u00fc": "y", "content_\U0001f600": None, "content_\uffff": 0, "Data_x": 1, "data": 2},
        {"content": "x", "id": "n1", "ttl": 3, "priority": 5, "cycle": 7, "created_at_ns": 12, "offset": 0},
        {"content": 12345678901234567890, "role": "user"},
        {"content": 0.1, "content_" + "n" * 3000: "long name", "data_big": "v" * 5000},
        {"content": "long " * 1000 + "\u00fc" * 1000, "role": "user", "kind": "text"},
    ]
    return [{"node": node, "hash": content_hash(node)} for node in nodes]


def write(name, vectors):
    lines = ",\n".join(json.dumps(vector, sort_keys=True) for vector in vectors)
    (HERE / name).write_text("[\n" + lines + "\n]\n", encoding="ascii")


if __name__ == "__main__":
    write("values.json", value_vectors())
    write("floats.json", float_vectors())
    write("hashes.json", hash_vectors())
