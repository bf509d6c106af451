#!/usr/bin/env python3
"""Puts an old header back after a recovery slot was removed, has the keys rotated, and sees the removed key open nothing.

Putting a header back takes 8 KiB and no key. The header is authentic: nothing in the file tells that it is old.
"""

import json

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
    bench.finish()


if __name__ == "__main__":
    main()
