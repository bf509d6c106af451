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


class Side:
    """A program with a database."""

    def __init__(self, command):
        self.command = command

    def run(self, query):
        """Runs a query in a new process; returns the rows and the seconds of processor time."""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([*self.command, query], stdout=output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"bench-cold: {self.command[0]} ended with {process.returncode}: {query}")
            output.seek(0)
            rows = sorted(json.dumps(list(row.values())) for row in json.loads(output.read() or b"[]"))
        return rows, usage.ru_utime + usage.ru_stime


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    failed = False
    with tempfile.TemporaryDirectory(prefix="sealite-cold-") as folder:
        folder = pathlib.Path(folder)
        os.environ.update({"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)})
        lines = folder / "lines.json"
        lines.write_text("".join(line + "\n" for line in documents(count)))
        key, sealed, plain = folder / "key", folder / "sealed.db", folder / "plain.db"
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([tool, "keygen", "-q", "-o", key], **quiet)
        subprocess.run([tool, "create", "-q", sealed, "-k", key], **quiet)
        subprocess.run([tool, "import", "-q", sealed, lines, "-k", key], **quiet)
        script = (f"CREATE TABLE lines (body TEXT);\n.mode ascii\n.separator \"\\t\" \"\\n\"\n.import {lines} lines\n"
                  "CREATE TABLE d (id TEXT PRIMARY KEY, body TEXT);\n"
                  "INSERT INTO d SELECT json_extract(body, '$._id'), json_remove(body, '$._id') FROM lines;\n"
                  "DROP TABLE lines; VACUUM;\n")
        subprocess.run(["sqlite3", "-batch", plain], input=script, text=True, **quiet)
        ours = Side([tool, "query", str(sealed), "-k", str(key), "--json"])
        theirs = Side(["sqlite3", "-batch", "-json", str(plain)])
        print(f"{count} documents, medians of {rounds} processes each, encrypted / sqlite3's shell on JSON text")
        for name, query, sql, bound in QUERIES:
            times = ([], [])
            for _ in range(rounds):
                results = []
                for side, words, taken in ((ours, query, times[0]), (theirs, sql, times[1])):
                    rows, seconds = side.run(words)
                    results.append(rows)
                    taken.append(seconds)
                if name != "start" and results[0] != results[1]:
                    sys.exit(f"bench-cold: {name}: the two sides give different rows")
            mine, other = (statistics.median(values) for values in times)
            ratio = mine / max(other, 0.001)
            failed |= ratio > bound
            print(f"{name}: {mine * 1000:.0f} ms / {other * 1000:.0f} ms = {ratio:.2f}, at most {bound}"
                  f"{' FAILED' if ratio > bound else ''}")
    sys.exit("bench-cold: a row is above its bound" if failed else 0)


main()
