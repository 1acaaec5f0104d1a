"""Makes vectors.jsonl with OpenAI's own tokenizer, the Python package tiktoken.

    pip install tiktoken==0.14.0
    python3 make_vectors.py > vectors.jsonl

and, to compare as many texts as one likes, all strings of some files among them:

    python3 make_vectors.py --random 100000 --strings *.json > corpus.jsonl
    go test ./tokens -run TestVectors -args -corpus corpus.jsonl

tiktoken fetches its vocabularies when they are first used, or takes them from the
folder TIKTOKEN_CACHE_DIR, and checks their SHA-256. The random texts are seeded; they
are drawn from Python's tables of Unicode, here those of Python 3.11.

A line is {"text", "times", "o200k_base", "cl100k_base"}: a text, how often it is
repeated (once where it is left out), and for each encoding the number of tokens
and the first 16 digits of the SHA-256 of their ids, in decimal, joined by blanks.
"""

import argparse
import hashlib
import json
import random
import sys
import unicodedata

import tiktoken

ENCODINGS = [tiktoken.get_encoding(name) for name in ("o200k_base", "cl100k_base")]

FIXED = [
    "a", " ", "\n", "\r\n", "\t", "\x00", "hello", "Hello, world!", "hello world ", "hello\n", "hello  \n  ", "  hello",
    "I'm we're you'll they've he'd it's don't", "I'M WE'RE YOU'LL THEY'VE HE'D IT'S DON'T", "I'm'll've're", "'s", "'S", "'", "''s",
    "'something 'tis 'llama 'really 'very", "x'ſ 'ſ 'ſab x'ſab ſ", "it’s don’t", "it's'", "L'l'L'LL'lL", "'v 'V 'r 'l", "x'k x'K x'Kb",
    "HelloWorld helloWorld HELLOworld HELLO World's WORLD'S hELLO", "getHTTPResponseCode2XMLDoc", "ǅungla ǅ ǄǅǆAǅa", "ʰAʰaʰʰ ʰ", "aªºA ªº",
    "1 12 123 1234 12345 1234567890", "x1y22z333 3.14159 -1,000,000", "½¼Ⅷ৩²³① 一二三", "١٢٣٤ २०२६",
    "\u0301", "e\u0301", " \u0301", "\u0301A", "\u0301AB", "\u0301ABc", "\u0301's", "A\u0301B", "AB\u0301CD", "!\u0301a", "!!\u0301\u0301b", "a\u0301\u0301'll",
    " \u0301\u0301A", "\n\u0301A", "1\u0301A", "AAA\u0301\u0301\u0301BBB", "\u0301 \u0301\n", "नमस्ते दुनिया", "สวัสดีชาวโลก", "한국어 텍스트", "தமிழ்",
    "你好，世界。", "日本語のテキスト、カタカナ。", "مرحبا بالعالم", "שלום עולם", "Привет, МИР", "Γειά σου ΚΌΣΜΕ", "Việt Nam", "straße STRASSE ẞ",
    "👋🌍", "👨‍👩‍👧‍👦", "🏳️‍🌈 🇩🇪", "👍🏽ok", "©®™ ½ ∑∫√ →⇒",
    " a", "  a", "   a", "a ", "a  ", "a   b", "a\tb", "a\t\tb", "\ta", "\t\ta", "\n\na", "\n \na", " \n a", "a\n\n\nb", "a\r\nb\r\n", "\r\r\n\n", "  \r\n  x", " \n",
    "\n ", "x \n \n ", "x \n \n y", "x\u00a0y", "x\u00a0\u00a0y", "\u3000\u3000字", "a\u2028b\u2029c", "a\u0085\u0085b", "\u200b\u200bx", "\u180ex", "\ufeffx",
    "\u000b\u000c\u001c\u001f x", "...", "!!!\n\n", "!!!\r\n/\n//x", "path/to/file.go\n/usr/bin", "https://example.com/a?b=c&d=%20#e", "//\n//", " //", "  //", " /\n/ /",
    "<|endoftext|>", "<|im_start|>user", "<|fim_prefix|><|endofprompt|>", "\ufffd", "\ufffd\ufffd\ufffd", "\U0010ffff", "\ue000",
    "def f(x):\n    return x  # half\n\n\nclass A:\n\tpass\n", "if (a != b) { c += d[i++]; }", "{\"role\": \"user\", \"content\": [1, 2.5e-3, null]}",
    "<div class=\"x\">\n  <p>&nbsp;</p>\n</div>", "SELECT * FROM t WHERE a='b';--", "\\n\\t\\u0041", "$$$ 100% #1 a_b __init__ @user ~/.x",
    "dGhlIHF1aWNrIGJyb3duIGZveA==", "550e8400-e29b-41d4-a716-446655440000", "0xDEADBEEF 0b1010", "supercalifragilisticexpialidocious", "antidisestablishmentarianism",
    "ALLCAPSWITHOUTSPACES", "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
    "\u1c89\u1c8a \U0002ebf0 \U00010d4a\U00010d50\U00010d70 \U00010d40\U00010d41 \ua7cb\ua7cd \U00011380\U000113b8",
]

REPEATED = [("a", 50000), ("A", 50000), ("é", 20000), ("中", 20000), ("👍", 5000), ("\u0301", 20000), (" ", 5000), ("\n", 5000), ("\t", 5000), (" \n", 3000),
            ("\r\n", 3000), ("\u00a0", 3000), ("1", 50000), ("!", 50000), ("/", 50000), ("ab", 25000), ("abcdefgh", 5000), ("'s", 5000), ("aA", 5000),
            ("\u0301A", 5000), ("x ", 5000), ("ʰA", 5000), ("-=", 20000), ("\ufffd", 5000), ("\x00", 20000), ("बि", 5000), ("Aa\u0301 \n", 2000)]

SPACE = " \t\n\r\u000b\u000c\u0085\u00a0\u2003\u2028\u3000"
PARTS = ["'s", "'S", "'ll", "'LL", "'Re", "'vE", "'t", "'d", "'m", "'", "’s", "'ſ", " ", "  ", "\n", "\r\n", " \n", "\t", "a", "B", "word", "Word", "WORD", "1", "42", "12345",
         ".", ",", "!", "/", "//", "-", "_", "(", ")", "\u0301", "ʰ", "ǅ", "é", "É", "中", "の", "ß", "ª", "²", "½", "👍", "\u200d", "\ufe0f", "\u00a0", "\u3000", "ſ", "K"]


def assigned():
    kinds = {}
    for c in range(0x110000):
        kinds.setdefault(unicodedata.category(chr(c)), []).append(c)
    kinds.pop("Cs")
    return kinds


KINDS = assigned()
ANY = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def some(rng, letters, most):
    return "".join(rng.choice(letters) for _ in range(rng.randint(1, most)))


def draw(rng):
    """One random text of one of a few kinds."""
    kind = rng.randrange(12)
    if kind == 0:
        return "".join(chr(rng.choice(ANY)) for _ in range(rng.randint(1, 20)))
    if kind == 1:
        return "".join(chr(rng.choice(KINDS[rng.choice(list(KINDS))])) for _ in range(rng.randint(1, 30)))
    if kind == 2:
        return "".join(chr(rng.choice(KINDS[rng.choice(["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Nd"])])) + rng.choice(["", "", " ", "'s"]) for _ in range(rng.randint(1, 20)))
    if kind == 3:
        return some(rng, SPACE + "   \n\na1.", 25)
    if kind in (4, 5):
        return "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 25)))
    if kind == 6:
        return some(rng, "".join(map(chr, range(32, 127))) + "\n", 60)
    if kind == 7:
        return "".join(chr(rng.randint(0x4E00, 0x9FFF)) if rng.random() < 0.8 else rng.choice("、。 ー「」a1\n") for _ in range(rng.randint(1, 60)))
    if kind == 8:
        return "".join(chr(rng.choice([rng.randint(0x1F300, 0x1FAFF), 0x200D, 0xFE0F, rng.randint(0x1F1E6, 0x1F1FF), 0x20])) for _ in range(rng.randint(1, 20)))
    if kind == 9:
        return some(rng, "abcdefghijklmnopqrstuvwxyz", 400)
    if kind == 10:
        return some(rng, rng.choice(["ACGT", "01", "aA", "lI'", "\u0301aA", "각가", "-=", " \t", "xX'sS "]), 200)
    return rng.choice(PARTS) * rng.randint(1, 300)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def values(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        yield json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            yield json.loads(line)


def texts(args):
    for t in FIXED:
        yield t, 1
    yield from REPEATED
    rng = random.Random(63)
    for _ in range(args.random):
        yield draw(rng), 1
    for path in args.strings:
        for value in values(path):
            for s in strings(value):
                yield s, 1


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--random", type=int, default=250)
    p.add_argument("--strings", nargs="*", default=[])
    seen = set()
    for text, times in texts(p.parse_args()):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if not text or (text, times) in seen:
            continue
        seen.add((text, times))
        line = {"text": text}
        if times > 1:
            line["times"] = times
        for e in ENCODINGS:
            ids = e.encode_ordinary(text * times)
            line[e.name] = [len(ids), hashlib.sha256(" ".join(map(str, ids)).encode()).hexdigest()[:16]]
        json.dump(line, sys.stdout)
        sys.stdout.write("\n")


main()
