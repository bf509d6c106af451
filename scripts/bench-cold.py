#!/usr/bin/env python3
"""Measures what a person at a command line sees, a new process for each row: scripts/bench-cold.py TOOL [COUNT [ROUNDS]]

TOOL is the program `sealite`, whose database is encrypted; beside it runs the shell `sqlite3` over the same JSON text in an unencrypted
file. The bounds are those of 100,000 documents. A figure is the median of the processor time (user and system) of ROUNDS processes, by default five; the two sides take turns. A row
fails if its ratio is above its bound, and if the two sides give different rows. Waits for a disk aren't measured.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

CITIES = ["Basel", "Bern", "Genf", "Graz", "Koeln", "Lyon", "Oslo", "Rome", "Turin", "Wien"]
TAGS = "abcdefgh"
WORDS = [first + last for first in ("ba", "ke", "lo", "mi", "nu", "po", "ra", "si") for last in ("dor", "lan", "mir", "nes", "rit", "tal")]

# The name, SQL++, the same in SQLite's SQL, and the greatest ratio of the processor times.
QUERIES = [
    ("start", "SELECT 1 AS n", "SELECT 1", 10),
    ("count by a number", "SELECT count(*) AS n FROM _ WHERE age > 50",
     "SELECT count(*) FROM d WHERE json_extract(body, '$.age') > 50", 1.0),
    ("count by a nested string", "SELECT count(*) AS n FROM _ WHERE address.city = 'Oslo'",
     "SELECT count(*) FROM d WHERE json_extract(body, '$.address.city') = 'Oslo'", 1.0),
    ("LIKE with a prefix", "SELECT count(*) AS n FROM _ WHERE name LIKE 'Person 99%'",
     "SELECT count(*) FROM d WHERE json_extract(body, '$.name') LIKE 'Person 99%'", 1.0),
    ("ORDER BY, LIMIT 10", "SELECT email FROM _ ORDER BY score DESC LIMIT 10",
     "SELECT json_extract(body, '$.email') FROM d ORDER BY json_extract(body, '$.score') DESC LIMIT 10", 1.9),
    ("ANY over tags", "SELECT count(*) AS n FROM _ WHERE ANY t IN tags SATISFIES t = 'c' END",
     "SELECT count(*) FROM d WHERE EXISTS (SELECT 1 FROM json_each(body, '$.tags') WHERE value = 'c')", 1.0),
    ("UNNEST, count", "SELECT count(*) AS n FROM _ AS d UNNEST d.tags AS t",
     "SELECT count(*) FROM d, json_each(body, '$.tags')", 1.9),
    ("two columns of all rows", "SELECT name, age FROM _",
     "SELECT json_extract(body, '$.name'), json_extract(body, '$.age') FROM d", 1.5),
    ("GROUP BY, count and average", "SELECT address.city AS c, count(*) AS n, round(avg(age), 6) AS a FROM _ GROUP BY address.city",
     "SELECT json_extract(body, '$.address.city') c, count(*), round(avg(json_extract(body, '$.age')), 6) FROM d GROUP BY c", 1.0),
]

# Changes on copies of the files, each after those before it: the name, the tool's arguments or a query, the same in SQLite's SQL, and the greatest
# ratio. A load begins with empty files.
AGE, EMAIL, NOTE = (f"json_extract(body, '$.{name}')" for name in ("age", "email", "note"))
CHANGES = [
    ("load", ["import", "-q", "DATABASE", "LINES"], None, 2.5),
    ("index on a number", ["index", "create", "-q", "DATABASE", "ages", "--on", "age"], f"CREATE INDEX ages ON d ({AGE})", 1.9),
    ("index on a string", ["index", "create", "-q", "DATABASE", "emails", "--on", "email"], f"CREATE INDEX emails ON d ({EMAIL})", 1.7),
    ("JOIN by an index", "SELECT count(*) AS n FROM _ AS a JOIN _ AS b ON b.email = a.email WHERE a.age = 18",
     f"SELECT count(*) FROM d AS a JOIN d AS b ON {EMAIL.replace('body', 'b.body')} = {EMAIL.replace('body', 'a.body')}"
     f" WHERE {AGE.replace('body', 'a.body')} = 18", 5),
    ("full-text index", ["index", "create", "-q", "DATABASE", "words", "--full-text", "note"],
     f"CREATE VIRTUAL TABLE f USING fts5 (note, content = ''); INSERT INTO f (rowid, note) SELECT rowid, {NOTE} FROM d", 1.6),
    ("count of a word", "SELECT count(*) AS n FROM _ WHERE MATCH(words, 'kelan')", "SELECT count(*) FROM f WHERE f MATCH 'kelan'", 9),
]


def documents(count):
    """Returns the lines of the documents, the same in each run."""
    rng = random.Random(50)
    for number in range(count):
        yield json.dumps({
            "_id": f"p{number:06d}", "name": f"Person {number}", "age": rng.randint(18, 90),
            "email": f"user{number}@example.com",
            "address": {"city": rng.choice(CITIES), "street": f"Street {rng.randint(1, 999)}", "zip": f"{rng.randint(0, 99999):05d}"},
            "tags": rng.sample(TAGS, 3), "score": rng.random(), "active": number % 2 == 1,
            "note": " ".join(rng.choice(WORDS) for _ in range(20))})


def measured(command, text=None):
    """Runs a program; returns what it prints and the seconds of processor time."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as script:
        script.write((text or "").encode())
        script.seek(0)
        process = subprocess.Popen(command, stdin=script, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"bench-cold: {command[0]} ended with {process.returncode}: {command[1:]} {text or ''}")
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime


class Bench:
    """The two programs with the same documents, and the rounds of a row."""

    def __init__(self, tool, count, rounds, folder):
        self.tool, self.rounds, self.folder = tool, rounds, folder
        self.key, self.lines = folder / "key", folder / "lines.json"
        self.lines.write_text("".join(line + "\n" for line in documents(count)))
        measured([tool, "keygen", "-q", "-o", self.key])
        self.load_script = (
            f"CREATE TABLE lines (body TEXT);\n.mode ascii\n.separator \"\\t\" \"\\n\"\n.import {self.lines} lines\n"
            "CREATE TABLE d (id TEXT PRIMARY KEY, body TEXT);\n"
            "INSERT INTO d SELECT json_extract(body, '$._id'), json_remove(body, '$._id') FROM lines;\nDROP TABLE lines;\n")
        self.begin()
        self.ours(self.change_arguments(CHANGES[0][1]))
        self.theirs(self.load_script + "VACUUM;\n")
        self.failed = False

    def begin(self):
        """Makes empty files in place of those that are there."""
        for name in ("sealed.db", "plain.db"):
            for path in self.folder.glob(name + "*"):
                path.unlink()
        measured([self.tool, "create", "-q", self.folder / "sealed.db", "-k", self.key])

    def change_arguments(self, arguments):
        names = {"DATABASE": self.folder / "sealed.db", "LINES": self.lines}
        return [names.get(word, word) for word in arguments]

    def ours(self, arguments):
        return measured([self.tool, *arguments, "-k", self.key])

    def theirs(self, script):
        return measured(["sqlite3", "-batch", "-json", self.folder / "plain.db"], script)

    def row(self, name, ours, theirs, bound):
        """Measures a query, or a change whose arguments are a list, and prints the medians."""
        times, is_change = ([], []), isinstance(ours, list)
        kept = {path: path.read_bytes() for path in self.folder.glob("*.db")} if is_change else {}
        arguments = self.change_arguments(ours) if is_change else ["query", self.folder / "sealed.db", "--json", ours]
        for number in range(self.rounds):
            if theirs is None:
                self.begin()
            elif number > 0:
                for path, content in kept.items():
                    path.write_bytes(content)
            results = self.ours(arguments), self.theirs(theirs or self.load_script)
            for taken, (_, seconds) in zip(times, results):
                taken.append(seconds)
            if not is_change and name != "start" and rows(results[0][0]) != rows(results[1][0]):
                sys.exit(f"bench-cold: {name}: the two sides give different rows")
        mine, other = (statistics.median(values) for values in times)
        ratio = mine / max(other, 0.001)
        self.failed |= ratio > bound
        print(f"{name}: {mine * 1000:.0f} ms / {other * 1000:.0f} ms = {ratio:.2f}, at most {bound}{' FAILED' if ratio > bound else ''}", flush=True)


def rows(output):
    """The rows of an answer as texts of their values, sorted."""
    return sorted(json.dumps(list(row.values())) for row in json.loads(output or b"[]"))


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory(prefix="sealite-cold-") as folder:
        os.environ.update({"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder})
        bench = Bench(tool, count, rounds, pathlib.Path(folder))
        print(f"{count} documents, medians of {rounds} processes each, encrypted / sqlite3's shell on JSON text")
        for row in QUERIES + CHANGES:
            bench.row(*row)
    sys.exit("bench-cold: a row is above its bound" if bench.failed else 0)


main()
