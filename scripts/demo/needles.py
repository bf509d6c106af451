"""Searches files for the content of a plain database: every text and blob value of 8 bytes or more of every table, and
every line of the schema.

A file is searched for the first 8 bytes of each, which finds more than the whole value would: a hit there is a hit.

Usage: needles.py PLAIN FILE... ; prints one line a file: hits, distinct needles found, bytes searched.
"""

import pathlib
import sqlite3
import sys

WINDOW = 8


def needles(path: str) -> set[bytes]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = bytes
    encoding = connection.execute("PRAGMA encoding").fetchone()[0].decode().replace("UTF-", "utf-")
    found: set[bytes] = set()

    def add(value: object) -> None:
        if isinstance(value, bytes) and len(value) >= WINDOW:
            found.add(value)

    def name(value: bytes) -> str:
        return '"' + value.decode().replace('"', '""') + '"'

    for table, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for row in connection.execute(f"SELECT * FROM {name(table)}"):
            for value in row:
                add(value)
    for sql, in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall():
        for line in sql.splitlines():
            add(line.strip())
    if encoding == "utf-8":
        return found
    return found | {value.decode("utf-8", "ignore").encode(encoding) for value in found}


def search(path: pathlib.Path, heads: set[bytes]) -> tuple[int, set[bytes]]:
    data = path.read_bytes()
    hits, seen = 0, set()
    for start in range(len(data) - WINDOW + 1):
        window = data[start : start + WINDOW]
        if window in heads:
            hits += 1
            seen.add(window)
    return hits, seen


def main() -> None:
    values = needles(sys.argv[1])
    heads = {value[:WINDOW] for value in values}
    for argument in sys.argv[2:]:
        path = pathlib.Path(argument)
        hits, seen = search(path, heads)
        found = sum(1 for value in values if value[:WINDOW] in seen)
        print(f"{path.name}\t{hits}\t{found}\t{len(values)}\t{path.stat().st_size}")


main()
