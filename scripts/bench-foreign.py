#!/usr/bin/env python3
"""Measures `sealite encrypt --from sqlcipher` beside SQLCipher's sqlcipher_export into an unencrypted file: scripts/bench-foreign.py TOOL [ROWS [ROUNDS]]

A million rows, the default, are a file of 517 MiB. SQLCipher comes from PyPI into the venv of scripts/bench.sh. The sides take turns; a figure is the median of
ROUNDS, by default three. Fails if the tool's time is above 0.7 of the export's.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv

PACKAGE = "sqlcipher3-binary==0.6.0"
BOUND = 0.7
MAKE = """
import sys
from sqlcipher3 import dbapi2
connection = dbapi2.connect("old.db", isolation_level=None)
connection.execute("PRAGMA key = 'old passphrase'")
connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
connection.execute("CREATE INDEX i ON t(b)")
connection.execute("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)"
                   " INSERT INTO t SELECT x, 'row number ' || (x * 7919 % 1000003), randomblob(420) FROM n", [int(sys.argv[1])])
"""
EXPORT = """
from sqlcipher3 import dbapi2
connection = dbapi2.connect("old.db", isolation_level=None)
connection.execute("PRAGMA key = 'old passphrase'")
connection.execute("ATTACH 'new.db' AS new KEY ''")
connection.execute("SELECT sqlcipher_export('new')")
connection.close()
"""


def peer():
    """Returns the Python of the peers, which is made if it isn't there."""
    folder = pathlib.Path(__file__).resolve().parent.parent / ".build/bench-peers"
    if not (folder / "complete").exists():
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sealite-bench-", dir=os.getcwd()))
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", PACKAGE], check=True)
    return folder / "bin/python"


def measured(command):
    """Runs a command that makes new.db, and returns its elapsed and its processor time in seconds."""
    pathlib.Path("new.db").unlink(missing_ok=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    return end - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    tool, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    rows = int(arguments[0]) if arguments else 1_000_000
    rounds = int(arguments[1]) if len(arguments) > 1 else 3
    with tempfile.TemporaryDirectory(prefix="sealite-bench-") as folder:
        os.chdir(folder)
        python = peer()
        subprocess.run([python, "-c", MAKE, str(rows)], check=True)
        pathlib.Path("old").write_text("old passphrase")
        os.chmod("old", 0o600)
        subprocess.run([tool, "keygen", "-q", "-o", "new.key"], check=True)
        seal = [tool, "encrypt", "-q", "old.db", "new.db", "--from", "sqlcipher", "--old-passphrase-file", "old", "--key-file", "new.key"]
        pairs = [(measured([python, "-c", EXPORT]), measured(seal)) for _ in range(rounds)]
        export, ours = ([statistics.median(pair[side][kind] for pair in pairs) for kind in (0, 1)] for side in (0, 1))
        ratio = statistics.median(pair[1][0] / pair[0][0] for pair in pairs)
        print(f"encrypt --from sqlcipher, {os.path.getsize('old.db') >> 20} MiB: {ours[0]:.2f} s, {ours[1]:.2f} s of processor time;"
              f" sqlcipher_export {export[0]:.2f} s, {export[1]:.2f} s: {ratio:.2f} and {ours[1] / export[1]:.2f} times, at most {BOUND} required")
        os.chdir("/")
    sys.exit(ratio > BOUND)


main()
