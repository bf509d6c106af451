#!/usr/bin/env python3
"""Makes the pictures of the documents, Documentation/Pictures/*.svg, from the text in this file.

    scripts/make-pictures.py            writes them
    scripts/make-pictures.py --check    fails if a committed picture is not what this file makes, or the floors are not the manifest's
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Documentation" / "Pictures"
COLOURS = {"key": "#ffe9b8", "clear": "#e3ecf7", "sealed": "#d3ecd6", "plain": "#f2f2f2", "note": "none", "old": "#f7d9d4"}


class Picture:
    """An SVG of boxes, arrows and text, with a white ground so that it reads on a dark page too."""

    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, text, size=13, anchor="middle", weight="normal", colour="#1b1b1b", family="sans-serif"):
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{colour}" '
            f'font-family="{family}">{html.escape(text)}</text>')

    def box(self, x, y, width, height, lines, kind="plain", size=13):
        stroke = "none" if kind == "note" else "#555"
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{COLOURS[kind]}" stroke="{stroke}"/>')
        lines = lines if isinstance(lines, list) else [lines]
        top = y + height / 2 - (len(lines) - 1) * (size + 3) / 2 + size / 3
        for index, line in enumerate(lines):
            self.text(x + width / 2, round(top + index * (size + 3), 1), line, size, weight="bold" if index == 0 else "normal")

    def arrow(self, x1, y1, x2, y2, label="", side=6, anchor="start"):
        self.parts.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#333" stroke-width="1.4" marker-end="url(#head)"/>')
        if label:
            self.text((x1 + x2) / 2 + side, (y1 + y2) / 2 - 4, label, 12, anchor, colour="#444")

    def line(self, x1, y1, x2, y2):
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#999" stroke-dasharray="4 3"/>')

    def svg(self):
        width, height = self.size
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{html.escape(self.title)}</title>",
            '<defs><marker id="head" markerWidth="9" markerHeight="9" refX="8" refY="4" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *self.parts, "</svg>", ""])


def file_layout():
    picture = Picture(900, 430, "The files of a sealed database")
    rows = [
        ("name.db", [(150, ["header copy 0", "4096 bytes"], "key"), (150, ["header copy 1", "4096 bytes"], "key"),
                     (130, ["page 1", "sealed"], "sealed"), (130, ["page 2", "sealed"], "sealed"), (110, ["…"], "note")]),
        ("name.db-wal", [(150, ["WAL header", "in clear"], "clear"), (130, ["frame 0", "sealed"], "sealed"),
                         (130, ["frame 1", "sealed"], "sealed"), (110, ["…"], "note")]),
        ("name.db-journal", [(150, ["preamble", "in clear"], "clear"), (130, ["unit 0", "sealed"], "sealed"),
                             (130, ["unit 1", "sealed"], "sealed"), (110, ["…"], "note")]),
        ("name.db-shm", [(290, ["WAL index", "page numbers and checksums, in clear"], "clear")]),
        ("(no name)", [(350, ["temporary files", "sealed under a random key that is never stored"], "sealed")]),
    ]
    for index, (name, boxes) in enumerate(rows):
        y, x = 20 + index * 60, 160
        picture.text(145, y + 27, name, anchor="end", family="monospace")
        for width, lines, kind in boxes:
            picture.box(x, y, width, 44, lines, kind)
            x += width + 8
    picture.text(20, 348, "a sealed page", anchor="start", weight="bold")
    x = 160
    for width, lines, kind in [(330, ["ciphertext", "P − 48 bytes"], "sealed"), (110, ["nonce", "24"], "clear"), (90, ["tag", "16"], "clear"),
                               (80, ["epoch", "4"], "clear"), (90, ["serial", "4"], "clear")]:
        picture.box(x, 325, width, 44, lines, kind)
        x += width
    picture.text(160, 392, "The tag binds database, kind of file, page number, epoch and serial.", 12, "start", colour="#444")
    picture.text(160, 410, "The serial counts the transactions that wrote page 1, and is 0 elsewhere. FORMAT.md §2 to §9", 12, "start", colour="#444")
    return picture


def key_hierarchy():
    picture = Picture(900, 520, "The key hierarchy")
    for x, lines in [(20, ["passphrase", "scrypt, per slot"]), (240, ["raw key", "HKDF"]), (460, ["recovery key", "HPKE, X25519"])]:
        picture.box(x, 20, 190, 46, lines, "clear")
        picture.arrow(x + 95, 66, x + 95, 104)
        picture.box(x, 106, 190, 46, ["key slot", "wraps the master key"], "key")
        picture.arrow(x + 95, 152, 345, 196)
    picture.text(680, 50, "secrets of people and programs:", 12, "start", colour="#444")
    picture.text(680, 66, "nowhere in the file", 12, "start", colour="#444")
    picture.text(680, 126, "up to 12 slots in the header;", 12, "start", colour="#444")
    picture.text(680, 142, "changing one rewrites the header", 12, "start", colour="#444")
    picture.box(235, 198, 220, 46, ["master key", "random"], "key")
    for x, lines in [(20, ["header MAC key", "authenticates both copies"]), (240, ["page key of an epoch", "random, wrapped"]),
                     (460, ["application key", "random, wrapped; stays"]), (680, ["next master key", "wrapped while rotating"])]:
        picture.box(x, 290, 205, 46, lines, "key")
        picture.arrow(345, 244, x + 102, 288)
    for index, name in enumerate(["pages", "WAL frames", "journal units", "rotation sidecar", "freshness digest"]):
        x = 20 + index * 125
        picture.box(x, 392, 115, 40, name, "sealed", 12)
        picture.arrow(342, 336, x + 57, 390)
    picture.box(680, 392, 205, 40, ["records, vault items"], "sealed", 12)
    picture.arrow(562, 336, 780, 390)
    picture.text(20, 468, "Rotation makes a new master key and a new page key; the application key and the secrets of the slots stay.", 12, "start", colour="#444")
    picture.text(20, 488, "Every arrow is a derivation or a wrapping with a label of its own: FORMAT.md §3 to §5.", 12, "start", colour="#444")
    return picture


def rotation():
    picture = Picture(900, 500, "A key rotation")
    steps = [
        (["1  header: rotation begins", "new master and page key, bridge, both epochs"], "key"),
        (["2  batch into the sidecar", "new images and an open preamble, sync"], "sealed"),
        (["3  images in place", "same pages, same content, new epoch, sync"], "sealed"),
        (["4  preamble closed", "the next batch, until no page of the old epoch is left"], "sealed"),
        (["5  WAL emptied", "waits for readers of old frames"], "clear"),
        (["6  header: rotation ends", "the old keys are gone"], "key"),
    ]
    for index, (lines, kind) in enumerate(steps):
        picture.box(20, 20 + index * 76, 400, 52, lines, kind)
        if index + 1 < len(steps):
            picture.arrow(220, 72 + index * 76, 220, 94 + index * 76)
    picture.parts.append('<path d="M420 274 C 470 274, 470 122, 424 122" fill="none" stroke="#333" stroke-width="1.4" marker-end="url(#head)"/>')
    notes = [
        (38, "Others go on meanwhile: readers at any time,"),
        (54, "writers between batches of about 15 ms."),
        (122, "Killed here: nothing in the file has changed yet; the next writer"),
        (138, "finds no whole preamble and goes on."),
        (198, "Killed here: the next writer finishes the batch from the sidecar,"),
        (214, "but never overwrites a page that authenticates."),
        (350, "A process that slept through the start crosses the bridge:"),
        (366, "its old master key opens the new one."),
        (426, "An older header opens no page of the file any more."),
    ]
    for y, text in notes:
        picture.text(480, y, text, 12, "start", colour="#444")
    picture.text(20, 488, "FORMAT.md §14", 12, "start", colour="#444")
    return picture


def handshake():
    picture = Picture(900, 560, "A handshake with a server")
    for x, name in [(90, "application"), (300, "replicator"), (510, "credential store"), (760, "server")]:
        picture.box(x - 75, 16, 150, 34, name, "clear")
        picture.line(x, 50, x, 540)
    steps = [
        (90, 300, "start()"), (300, 510, "credential for this endpoint?"), (510, 300, "password, token, certificate"),
        (300, 760, "TLS 1.2 or later; client certificate"), (760, 300, "certificate chain"),
        (300, 300, "ServerTrust: system roots, pin, or self-signed"), (300, 760, "GET /name/_blipsync, Authorization or Cookie"),
        (760, 300, "101 Switching Protocols (401: renew the session once)"), (300, 760, "getCollections, checkpoints"),
        (760, 300, "checkpoints"), (300, 760, "proposeChanges, rev …"), (760, 300, "changes, rev …"), (300, 90, "status, documents"),
    ]
    for index, (start, end, label) in enumerate(steps):
        y = 84 + index * 36
        if start == end:
            picture.text(start + 10, y, label, 12, "start", colour="#1b1b1b", weight="bold")
            continue
        picture.arrow(start, y, end, y)
        picture.text((start + end) / 2, y - 6, label, 12, colour="#444")
    picture.text(20, 552, "Replication.md, “A handshake”. A credential never goes unencrypted to another machine, nor to another host by a redirect.", 12, "start", colour="#444")
    return picture


def manifest_floors():
    """The targets of Package.swift by floor, without C libraries, tests and programs that only test."""
    floors = {}
    number = None
    for line in (ROOT / "Package.swift").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\s*// Floor (\d+)", line):
            number = int(found[1])
        kind = re.search(r"\.(target|executableTarget|testTarget|systemLibrary)\(", line)
        if kind:
            pending = kind[1]
        name = re.search(r'name: "(Sealite\w*)"', line)
        if name and number is not None and pending in ("target", "executableTarget") and not re.search("Test|Fuzz|Bench", name[1]):
            floors.setdefault(number, [])
            if name[1] not in floors[number]:
                floors[number].append(name[1])
    return floors


def floors():
    found = manifest_floors()
    ground = found.pop(0)
    picture = Picture(900, 40 + 56 * (len(found) + 1) + 30, "The floors of the package")
    top = 20
    for number in sorted(found, reverse=True):
        names = found[number]
        picture.text(20, top + 26, f"floor {number}", 12, "start", colour="#444")
        width = (800 - 8 * (len(names) - 1)) / len(names)
        for index, name in enumerate(names):
            kind = "key" if number == 1 else "sealed" if name in ("SealiteFile", "SealiteMaintenance", "SealiteGRDB") else "plain"
            picture.box(round(80 + index * (width + 8), 1), top, round(width, 1), 42, name, kind, 12 if width > 130 else 10)
        top += 56
    picture.text(20, top + 26, "floor 0", 12, "start", colour="#444")
    for index, name in enumerate(ground):
        picture.box(80 + 138 * index, top, 130, 42, name, "key", 12)
    left = 80 + 138 * len(ground)
    picture.box(left, top, 880 - left, 42, ["OpenSSL, SQLite, libsecret, zlib, PCRE2, Snowball, libedit"], "clear", 12)
    picture.text(80, top + 66, "A target imports only from floors below its own, and its neighbours as Package.swift names them; scripts/check-imports.sh.",
                 12, "start", colour="#444")
    return picture


def what_is_sealed():
    picture = Picture(900, 372, "What is sealed: everything of a database that reaches the disk")
    picture.text(20, 22, "in your program", anchor="start", weight="bold")
    layers = [
        (["documents, SQL++, MongoDB calls, models", "or SQL: GRDB, sqlite3, Python"], "plain"),
        (["the distribution's libsqlite3", "neither forked nor patched"], "plain"),
        (["the VFS “sealite”", "seals pages that are written, opens those that are read"], "sealed"),
    ]
    for index, (lines, kind) in enumerate(layers):
        y = 36 + index * 76
        picture.box(20, y, 370, 50, lines, kind)
        # Calls go down; the keys come up to the VFS.
        picture.arrow(205, *((y + 50, 205, y + 74) if index < 2 else (y + 76, 205, y + 52)))
    picture.box(20, 264, 370, 50, ["keys, in locked memory", "XAES-256-GCM by OpenSSL"], "key")
    picture.arrow(390, 213, 436, 213)
    picture.text(450, 22, "on the disk", anchor="start", weight="bold")
    picture.box(450, 36, 430, 50, ["header of notes.db: up to 12 key slots", "for passphrases, raw keys, recovery keys"], "key")
    picture.box(450, 94, 430, 42, ["pages of notes.db: tables, indexes, schema, blobs"], "sealed")
    picture.box(450, 144, 430, 42, ["notes.db-wal, notes.db-journal"], "sealed")
    picture.box(450, 194, 430, 42, ["temporary files, backups"], "sealed")
    picture.box(450, 244, 430, 42, ["notes.db-shm: page numbers and checksums"], "clear")
    for x, kind, label in [(450, "sealed", "sealed"), (540, "key", "keys, wrapped"), (680, "clear", "in clear")]:
        picture.box(x, 298, 16, 16, [""], kind)
        picture.text(x + 22, 311, label, 12, "start", colour="#444")
    picture.text(20, 346, "Sealed: encrypted and authenticated, and bound to its database and place.", 12, "start", colour="#444")
    picture.text(20, 362, "Visible: names, sizes and times of files, which pages change, the kinds and labels of key slots.", 12, "start", colour="#444")
    return picture


PICTURES = {
    "what-is-sealed": what_is_sealed, "file-layout": file_layout, "key-hierarchy": key_hierarchy, "rotation": rotation, "handshake": handshake,
    "floors": floors}


def main():
    check = sys.argv[1:] == ["--check"]
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, make in PICTURES.items():
        path, text = FOLDER / f"{name}.svg", make().svg()
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(path.name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.exit("not what scripts/make-pictures.py makes: " + ", ".join(stale))


main()
