#!/usr/bin/env python3
"""Packs recorded exchanges and inputs of fuzz targets, one file for each server and kind or each target, and unpacks them.

pack-fixtures.py pack PACK FOLDER    adds the files of FOLDER to PACK, in place of those of the same name
pack-fixtures.py unpack PACK FOLDER  writes what PACK has into FOLDER, which it makes

PACK is `Fixtures/Protocol/SERVER.jsonl` or `Fixtures/Fuzz/TARGET.jsonl`.

- Recordings: FOLDER has NAME.jsonl, the frames, and NAME.http.txt, the HTTP requests around them. The frames go to SERVER.jsonl, each
  recording after a line {"recording": "NAME"}, the HTTP texts to SERVER.http.txt, each after a line ==== NAME ====, all in the order of
  their names and unchanged. `index.tsv` is written anew.
- Inputs: each file is a line {"name": …, "text": …} if it is UTF-8 with few control characters, else {"name": …, "hex": …}, in the order
  of their names.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROTOCOL = ROOT / "Fixtures" / "Protocol"
HEAD = re.compile(r'^\{"recording": "([^"\n]+)"\}\n', re.M)
HTTP_HEAD = re.compile(r"^==== (.+) ====\n", re.M)
MORE_COMING = 0x40


def sections(path, head):
    """The texts of a pack by their names."""
    if not path.exists():
        return {}
    parts = head.split(path.read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2]))


def write_sections(path, texts, head):
    for name, text in texts.items():
        if text and not text.endswith("\n"):
            sys.exit(f"pack-fixtures: {name} doesn't end with a line end")
    path.write_text("".join(head(name) + texts[name] for name in sorted(texts)), encoding="utf-8")


def write_index():
    """The numbers of BLIP frames and of complete messages of every recording."""
    rows = []
    for pack in PROTOCOL.rglob("*.jsonl"):
        for name, text in sections(pack, HEAD).items():
            frames = [json.loads(line)["decoded"] for line in text.split("\n") if line]
            messages = [frame for frame in frames if frame["type"][:3] != "ACK" and not frame["flags"] & MORE_COMING]
            rows.append(f"{pack.relative_to(PROTOCOL).with_suffix('')}/{name}\t{len(frames)}\t{len(messages)}\n")
    (PROTOCOL / "index.tsv").write_text("recording\tframes\tmessages\n" + "".join(sorted(rows)))


def pack_recordings(pack, folder):
    http = pack.with_suffix(".http.txt")
    frames, texts = sections(pack, HEAD), sections(http, HTTP_HEAD)
    for path in folder.glob("*.jsonl"):
        frames[path.stem] = path.read_text(encoding="utf-8")
    for path in folder.glob("*.http.txt"):
        texts[path.name.removesuffix(".http.txt")] = text = path.read_text(encoding="utf-8")
        if HTTP_HEAD.search(text):
            sys.exit(f"pack-fixtures: {path} has a line that looks like the head of a section")
    write_sections(pack, frames, lambda name: json.dumps({"recording": name}) + "\n")
    write_sections(http, texts, lambda name: f"==== {name} ====\n")
    write_index()


def unpack_recordings(pack, folder):
    for name, text in sections(pack, HEAD).items():
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    for name, text in sections(pack.with_suffix(".http.txt"), HTTP_HEAD).items():
        (folder / f"{name}.http.txt").write_text(text, encoding="utf-8")


def line_of_input(name, content):
    try:
        text = content.decode("utf-8")
        if sum(sign < " " and sign not in "\t\n\r" for sign in text) * 4 <= len(text):
            return {"name": name, "text": text}
    except UnicodeDecodeError:
        pass
    return {"name": name, "hex": content.hex()}


def inputs(pack):
    """The inputs of a pack by their names."""
    found = {}
    for line in pack.read_text(encoding="utf-8").splitlines() if pack.exists() else []:
        entry = json.loads(line)
        found[entry["name"]] = entry["text"].encode("utf-8") if "text" in entry else bytes.fromhex(entry["hex"])
    return found


def pack_inputs(pack, folder):
    found = inputs(pack)
    found.update((path.name, path.read_bytes()) for path in folder.iterdir())
    pack.write_text("".join(json.dumps(line_of_input(name, found[name])) + "\n" for name in sorted(found)), encoding="utf-8")


def unpack_inputs(pack, folder):
    for name, content in inputs(pack).items():
        (folder / name).write_bytes(content)


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in ("pack", "unpack"):
        sys.exit(__doc__)
    pack, folder = pathlib.Path(arguments[1]).absolute(), pathlib.Path(arguments[2])
    are_recordings = PROTOCOL in pack.parents
    if arguments[0] == "pack":
        (pack_recordings if are_recordings else pack_inputs)(pack, folder)
        return
    if not pack.exists():
        sys.exit(f"pack-fixtures: there is no {arguments[1]}")
    folder.mkdir(parents=True, exist_ok=True)
    (unpack_recordings if are_recordings else unpack_inputs)(pack, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
