"""Runs the steps of a workload on another product's encrypted SQLite and on plain files of the same library, in turn, and
prints the ratio of CPU times. What the Python driver itself takes, measured by statements that touch no file, is taken off both.

usage: peers.py sqlcipher|mc STEPS.json ROUNDS FOLDER
"""
import json
import os
import statistics
import sys
import time

KEY = "5a" * 32
DIGITS = "zero one two three four five six seven eight nine".split()


def words(number):
    return " ".join(DIGITS[int(digit)] for digit in str(number))


def connect(peer, path, encrypted):
    if peer == "sqlcipher":
        import sqlcipher3.dbapi2 as library

        connection = library.connect(path, isolation_level=None)
        if encrypted:
            connection.execute(f"PRAGMA key = \"x'{KEY}'\"")
    else:
        import apsw

        connection = apsw.Connection(path)
        if encrypted:
            connection.execute("PRAGMA cipher = 'aegis'")
            connection.execute(f"PRAGMA hexkey = '{KEY}'")
    # Reading proves the key; an unencrypted file would not do.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return connection


def parameters(step):
    count = step["sql"].count("?3") and 3 or step["sql"].count("?2") and 2 or step["sql"].count("?1") and 1
    for number in range(1, step["count"] + 1):
        other = number * step["multiplier"] % step["modulus"] + 1
        yield (number, other, words(other))[:count]


def run(connection, steps):
    """CPU seconds of the steps, parameters made beforehand."""
    taken = 0.0
    for step in steps:
        sql = step["sql"]
        bindings = list(parameters(step)) if step["count"] else [()]
        execute = connection.cursor().execute
        start = time.process_time()
        for binding in bindings:
            for _ in execute(sql, binding):
                pass
        taken += time.process_time() - start
    return taken


def driver(connection, steps):
    """What Python and its module take for so many calls."""
    taken = 0.0
    for step in steps:
        bindings = list(parameters(step)) if step["count"] else [()]
        sql = "SELECT 1" + "".join(f", ?{number + 1}" for number in range(len(bindings[0])))
        if not step["sql"].startswith("SELECT"):
            # What changes rows gives none.
            sql += " WHERE 0"
        execute = connection.cursor().execute
        start = time.process_time()
        for binding in bindings:
            for _ in execute(sql, binding):
                pass
        taken += time.process_time() - start
    return taken


def main():
    peer, steps_path, rounds, folder = sys.argv[1:]
    with open(steps_path) as file:
        work = json.load(file)
    paths = {kind: os.path.join(folder, f"peer-{kind}.db") for kind in (False, True)}

    def remove(path):
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(path + end):
                os.unlink(path + end)

    def opened(kind):
        connection = connect(peer, paths[kind], kind)
        level = "NORMAL" if work["mode"] == "WAL" else "FULL"
        for pragma in (f"journal_mode={work['mode']}", f"synchronous={level}", "cache_size=-2000"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        return connection

    def measure(kind):
        if work["fresh"]:
            remove(paths[kind])
        connection = opened(kind)
        if work["fresh"]:
            run(connection, work["prepare"])
        taken = run(connection, work["run"])
        connection.close()
        return taken

    try:
        for kind in (False, True):
            remove(paths[kind])
            if not work["fresh"]:
                connection = opened(kind)
                run(connection, work["prepare"])
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                connection.close()
        bare = connect(peer, ":memory:", False)
        overhead = min(driver(bare, work["run"]) for _ in range(3))
        ratios = []
        for number in range(int(rounds) + 1):
            plain, sealed = measure(False), measure(True)
            # Where the driver takes nearly all of the time, what is left over says nothing.
            if number and plain - overhead > plain / 5:
                ratios.append((sealed - overhead) / (plain - overhead))
        with open(paths[True], "rb") as file:
            assert file.read(15) != b"SQLite format 3", "the peer did not encrypt"
        print(round(statistics.median(ratios), 3) if 2 * len(ratios) > int(rounds) else "")
    finally:
        for path in paths.values():
            remove(path)


main()
