#!/usr/bin/env python3
"""Turns Fixtures/Vectors/*.json into the Swift texts that the target SealiteKnownAnswers carries, so that `sealite
audit` needs no files. Python's standard library alone. Run it after cut-vectors.py; a test compares the two.

Each text has lines: `source …`, `sha256 …`, one `= name value` per parameter, one `# name name …` with the fields of
the cases, and one line of fields per case, `-` for empty. Spaces within a value become `_`.
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Sources" / "SealiteKnownAnswers" / "Vectors"


def value(item):
    text = str(item).replace(" ", "_")
    return text if text else "-"


def embed(path):
    document = json.loads(path.read_text())
    assert document["count"] == len(document["cases"])
    names = []
    for case in document["cases"]:
        names += [name for name in case if name not in names]
    lines = [f"source {document['source']}", f"sha256 {document['sha256'] or '-'}"]
    lines += [f"= {name} {value(item)}" for name, item in document["parameters"].items()]
    lines.append("# " + " ".join(names))
    lines += [" ".join(value(case.get(name, "")) for name in names) for case in document["cases"]]
    parts = path.stem.split("-")
    name = parts[0] + "".join(part.capitalize() for part in parts[1:])
    text = "\n".join("        " + line for line in lines)
    assert "\\" not in text and '"""' not in text
    (TARGET / f"Vectors+{name}.swift").write_text(
        "// swift-format-ignore-file: made by scripts/embed-vectors.py, which see for the format\n"
        f'\nextension Vectors {{\n    static let {name}: StaticString = """\n{text}\n        """\n}}\n'
    )
    return path.stem, name


TARGET.mkdir(parents=True, exist_ok=True)
for old in TARGET.glob("*.swift"):
    old.unlink()
for path in sorted((ROOT / "Fixtures" / "Vectors").glob("*.json")):
    stem, name = embed(path)
    print(f"{stem}: Vectors.{name}")
