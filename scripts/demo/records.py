"""Writes public data as JSON lines, one file to a collection: the countries, their parts and the languages of Debian's
iso-codes, and every named character of the Unicode version that Debian's python3 knows."""
import json
import pathlib
import sys
import unicodedata

ISO_CODES = pathlib.Path("/usr/share/iso-codes/json")


def iso(name, key):
    return json.loads((ISO_CODES / f"iso_{name}.json").read_text())[key]


def characters():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        name = unicodedata.name(character, None)
        # Of the ideographs and syllables, names say no more than the number.
        if name is None or name.startswith(("CJK UNIFIED", "CJK COMPAT", "HANGUL SYLLABLE", "TANGUT IDEOGRAPH")):
            continue
        record = {"code": f"U+{code:04X}", "name": name, "character": character, "category": unicodedata.category(character)}
        numeric = unicodedata.numeric(character, None)
        if numeric is not None:
            record["numeric"] = numeric
        decomposition = unicodedata.decomposition(character)
        if decomposition:
            record["decomposition"] = decomposition.split()
        yield record


def write(folder, name, records):
    lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records]
    (folder / f"{name}.jsonl").write_text("".join(lines))
    print(f"  {name:<14}{len(lines):>7} records")


folder = pathlib.Path(sys.argv[1])
write(folder, "countries", iso("3166-1", "3166-1"))
write(folder, "subdivisions", iso("3166-2", "3166-2"))
write(folder, "languages", iso("639-3", "639-3"))
write(folder, "characters", characters())
