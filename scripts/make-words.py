#!/usr/bin/env python3
"""Makes the tables of the tokenizer of full-text search, Sources/SealiteFunctions/FullText/WordData.swift, from Python's unicodedata
(3.11 of Debian 12: Unicode 14), and the lists of stop words, StopWordData.swift, from the files *.stop that PostgreSQL 15 of Debian 12 has
from Snowball. Python's standard library alone.

Usage: make-words.py [FOLDER]
  FOLDER  the folder that has english.stop and the others: /usr/share/postgresql/15/tsearch_data where the package is installed;
          without it the lists stay as they are

The tables are numbers in LEB128, in base64: the count of ranges, then for each the distance of its first scalar from the end of the last
range, its length and its class; the count of folded scalars, then for each the distance from the last one, its folded form, and that
without accents; the count of compositions, then for each the letter, the mark and the composed letter. Other tables make other
tokens: VERSION is the version of the component "words" of indexes (Documentation/DocumentFormat.md, section 3.7).
"""

import base64
import pathlib
import sys
import textwrap
import unicodedata

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "SealiteFunctions" / "FullText"
WORD, MARK, SIGN, ACCENT = 1, 2, 3, 4
# Accents and vowel points: of Latin, Greek and Cyrillic, of symbols, of Hebrew and Arabic.
ACCENTS = [(0x300, 0x36F), (0x483, 0x487), (0x591, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6ED),
           (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)]
SIGNS = [(0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C), (0x3041, 0x3096), (0x309D, 0x309F),
         (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D),
         (0x1B000, 0x1B16F), (0x20000, 0x3FFFF)]


def within(scalar, ranges):
    return any(first <= scalar <= last for first, last in ranges)


# What the lists of Snowball have, and those of PostgreSQL have not, and the other way round.
ADDED = {"english": "would could ought cannot",
         "french": "ceci cela celà cet cette ici ils les leurs quel quels quelle quelles sans soi"}
REMOVED = {"english": "s t can will just don now", "french": "étante étants étantes ayante ayantes ayants"}


def class_of(scalar):
    category = unicodedata.category(chr(scalar))
    if category in ("Mn", "Mc", "Me"):
        return ACCENT if category == "Mn" and within(scalar, ACCENTS) else MARK
    if category[0] in "LN" or category == "Co":
        return SIGN if within(scalar, SIGNS) else WORD
    return 0


def folded(scalar):
    text = chr(scalar)
    for form in (text.casefold(), text.lower()):
        if len(form) == 1:
            return ord(form)
    return scalar


def without_accents(scalar):
    letters = [c for c in unicodedata.normalize("NFD", chr(scalar)) if class_of(ord(c)) != ACCENT]
    return folded(ord(letters[0])) if len(letters) == 1 and class_of(ord(letters[0])) == WORD else scalar


def leb(number):
    out = bytearray()
    while True:
        out.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(out)


def tables():
    ranges, folds, pairs = [], [], []
    for scalar in range(0x110000):
        if 0xD800 <= scalar < 0xE000:
            continue
        kind = class_of(scalar)
        if kind:
            if ranges and ranges[-1][2] == kind and ranges[-1][0] + ranges[-1][1] == scalar:
                ranges[-1][1] += 1
            else:
                ranges.append([scalar, 1, kind])
        if kind == WORD and scalar < 0xAC00 or 0xF900 <= scalar:
            low = folded(scalar)
            plain = without_accents(low)
            if (low, plain) != (scalar, scalar):
                folds.append((scalar, low, plain))
        parts = unicodedata.decomposition(chr(scalar))
        if parts and "<" not in parts and len(parts.split()) == 2 and unicodedata.normalize("NFC", chr(scalar)) == chr(scalar):
            first, second = (int(part, 16) for part in parts.split())
            if class_of(second) in (MARK, ACCENT):
                pairs.append((first, second, scalar))
    out, end = bytearray(leb(len(ranges))), 0
    for first, length, kind in ranges:
        out += leb(first - end) + leb(length) + leb(kind)
        end = first + length
    out += leb(len(folds))
    last = 0
    for scalar, low, plain in folds:
        out += leb(scalar - last) + leb(low) + leb(plain)
        last = scalar
    out += leb(len(pairs))
    for pair in sorted(pairs):
        for part in pair:
            out += leb(part)
    return bytes(out)


def write(name, title, body):
    head = "// swift-format-ignore-file: made by scripts/make-words.py, which see for the format and the sources\n"
    (FOLDER / name).write_text(head + title + body, encoding="utf-8")


def literal(lines, indent=8):
    return '"""\n' + "\n".join(" " * indent + line for line in lines) + "\n" + " " * indent + '"""\n'


def joined(lines, separator):
    return [line + separator + "\\" for line in lines[:-1]] + lines[-1:]


def main():
    encoded = base64.b64encode(tables()).decode().rstrip("=")
    lines = textwrap.wrap(encoded, 120)
    body = literal(joined(lines, ""))
    write("WordData.swift", "// From data files that are copyright 1991-2021 Unicode, Inc. https://www.unicode.org/license.txt\n\n"
          "/// The tables of the tokenizer.\nenum WordData {\n    /// Numbers in LEB128, in base64.\n    static let base64: StaticString = ",
          body + "}\n")
    if len(sys.argv) < 2:
        return
    languages = "danish dutch english finnish french german hungarian italian norwegian portuguese russian spanish swedish turkish"
    out = ""
    for language in languages.split():
        words = (pathlib.Path(sys.argv[1]) / f"{language}.stop").read_text(encoding="utf-8").split()
        words = [word for word in words if word not in REMOVED.get(language, "").split()] + ADDED.get(language, "").split()
        out += f"        \"{language}\": " + literal(
            joined(textwrap.wrap(" ".join(dict.fromkeys(words)), 105), " "), 12).rstrip("\n") + ",\n"
    write("StopWordData.swift", "// From files of Snowball, copyright 2001 Dr Martin Porter, 2002 Richard Boulton (BSD license), and of PostgreSQL.\n\n"
          "/// The lists of stop words by their languages.\nenum StopWordData {\n    static let lists: [String: StaticString] = [\n",
          out + "    ]\n}\n")


main()
