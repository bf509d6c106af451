#!/usr/bin/env python3
"""Puts an old header back after a recovery slot was removed, has the keys rotated, and sees the removed key open nothing.

Putting a header back takes 8 KiB and no key. The header is authentic: nothing in the file tells that it is old.
"""

import json
import subprocess

from _bench import Bench


def fingerprints(bench):
    return {slot["label"]: slot["fingerprint"] for slot in json.loads(bench.must("key", "list", "a.db", "--json"))
            if "fingerprint" in slot}  # fmt: skip


def opens(bench, paper):
    return bench.run("key", "check", "a.db", "--recovery-key-file", paper).returncode == 0


def main():
    bench = Bench()
    own = ("--key-file", "key")
    bench.must("create", "a.db", *own, "--recovery-key-file", "removed.paper")
    bench.must("sql", "a.db", "CREATE TABLE notes(a); INSERT INTO notes VALUES (1)", *own)
    bench.must("key", "add", "a.db", *own, "--new-recovery-key-file", "kept.paper", "--label", "kept")
    bench.must("freshness", "record", "a.db", "record", *own)
    known = fingerprints(bench)
    old_header = bench.read("a.db")[:8192]
    bench.must("key", "remove", "a.db", "--slot", "2", *own, "--freshness", "record")
    bench.expect("the removed key opens the file", not opens(bench, "removed.paper"))

    bench.write("a.db", old_header + bench.read("a.db")[8192:])
    # Without a rotation an old header opens what was sealed before: SECURITY.md says so.
    bench.expect("the attack isn't one", opens(bench, "removed.paper"))
    before = bench.read("a.db")

    unnamed = bench.run("key", "rotate", "a.db", *own)
    bench.expect("a rotation that names no slot", unnamed.returncode == 64, unnamed)
    for label, fingerprint in known.items():
        bench.expect("the error doesn't list %s" % label, "--keep-recovery " + fingerprint in unnamed.stderr, unnamed)
    one = bench.run("key", "rotate", "a.db", *own, "--keep-recovery", known["kept"])
    bench.expect("a rotation that names one of two", one.returncode == 64, one)
    for command in (("key", "rotate", "a.db"), ("verify", "a.db"), ("key", "check", "a.db")):
        floor = bench.run(*command, *own, "--freshness", "record")
        bench.expect("%s against the record" % (command,), floor.returncode == 79, floor)
    bench.expect("something was written", bench.read("a.db") == before)

    bench.must("key", "rotate", "a.db", *own, "--keep-recovery", known["kept"], "--drop-slot", "2")
    bench.expect("the removed key opens the file after the rotation", not opens(bench, "removed.paper"))
    bench.expect("the kept key doesn't open the file after the rotation", opens(bench, "kept.paper"))
    after = bench.read("a.db")
    bench.write("a.db", old_header + after[8192:])
    result = bench.run("sql", "a.db", "SELECT a FROM notes", "--recovery-key-file", "removed.paper")
    bench.expect("the old header opens what was sealed after the rotation", result.returncode != 0, result)
    bench.write("a.db", after)
    bench.expect("the file is sound", bench.run("verify", "a.db", *own).returncode == 0)
    from_the_middle(bench, own)
    bench.finish()


def from_the_middle(bench, own):
    """Puts a header back that was copied while a rotation ran, so that the next one would only have to be finished."""
    bench.must("create", "b.db", *own, "--recovery-key-file", "b.paper")
    bench.must("sql", "b.db", "CREATE TABLE t(a); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4000) "
               "INSERT INTO t SELECT randomblob(3000) FROM c", *own)  # fmt: skip
    fingerprint = [slot["fingerprint"] for slot in json.loads(bench.must("key", "list", "b.db", "--json"))
                   if "fingerprint" in slot][0]  # fmt: skip
    header = header_of_a_rotation(bench, (*own, "--keep-recovery", fingerprint))
    bench.must("key", "remove", "b.db", "--slot", "2", *own)
    bench.write("b.db", header + bench.read("b.db")[8192:])
    unnamed = bench.run("key", "rotate", "b.db", *own)
    bench.expect("a rotation that only finishes, and names no slot", unnamed.returncode == 64, unnamed)
    bench.must("key", "rotate", "b.db", *own, "--drop-slot", "2")
    opened = bench.run("key", "check", "b.db", "--recovery-key-file", "b.paper")
    bench.expect("the removed key opens the file after a finished rotation", opened.returncode != 0, opened)
    bench.expect("the file is sound", bench.run("verify", "b.db", *own).returncode == 0)


def header_of_a_rotation(bench, options):
    """The header while a rotation runs: both copies whole, rotation state 1 (FORMAT.md, section 4)."""
    for _ in range(20):
        process = subprocess.Popen([bench.tool, "key", "rotate", "b.db", *options], cwd=bench.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        found = None
        while process.poll() is None and found is None:
            header = bench.read("b.db")[:8192]
            if header[72] == 1 and header[:4096] == header[4096:]:
                found = header
        if process.wait() != 0:
            raise SystemExit("the rotation failed")
        if found:
            return found
    raise SystemExit("no header from the middle of a rotation was seen")


if __name__ == "__main__":
    main()
