#!/usr/bin/env python3
"""Reads every golden file with sealite_reader.py and every key in its note, and compares the plain content's digest.

    check_golden.py [FOLDER]      exits 1 where a file differs or there is none
"""

import glob
import hashlib
import json
import os
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True

from sealite_reader import Database, recovery_key_from_paper  # noqa: E402


def secret(key):
    if key["kind"] == "passphrase":
        return "passphrase", key["passphrase"].encode()
    if key["kind"] == "recovery":
        assert recovery_key_from_paper(key["paper"]) == bytes.fromhex(key["hex"])
    return key["kind"], bytes.fromhex(key["hex"])


def note_count(plain):
    """SQLite itself reads the plain file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plain.db")
        with open(path, "wb") as file:
            file.write(plain)
        connection = sqlite3.connect(path)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return connection.execute("SELECT count(*) FROM notes").fetchone()[0]
        finally:
            connection.close()


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, "Fixtures", "Golden")
    failures = keys = 0
    notes = sorted(glob.glob(os.path.join(folder, "*.json")))
    for path in notes:
        with open(path, encoding="utf-8") as file:
            note = json.load(file)
        for key in note["keys"]:
            plain = Database(os.path.join(folder, note["name"]), secret(key)).plain()
            good = hashlib.sha256(plain).hexdigest() == note["plainSHA256"] and note_count(plain) == note["noteCount"]
            keys += 1
            failures += not good
            if not good:
                print("%s: %s key: the content differs" % (note["name"], key["kind"]))
    print("%d golden files, %d keys, %d failures" % (len(notes), keys, failures))
    return 1 if failures or not notes else 0


if __name__ == "__main__":
    sys.exit(main())
