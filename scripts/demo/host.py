"""Debian's python3 on a sealed database, through the loadable extension.

Usage: host.py LIBRARY DB KEYFILE dump SCRIPT    prints what the script selects
       host.py LIBRARY DB KEYFILE busy MODE      writes in a journal mode, says so, and holds still until its input ends
"""

import sqlite3
import sys

library, path, key, task, argument = sys.argv[1:]

host = sqlite3.connect(":memory:")
host.enable_load_extension(True)
host.load_extension(library)
(uri,) = host.execute("SELECT sealite_unlock_key_file(?, ?)", (path, key)).fetchone()

sealed = sqlite3.connect(uri, uri=True, isolation_level=None)
if task == "dump":
    for statement in open(argument).read().split(";\n"):
        for row in sealed.execute(statement):
            print(row[0])
else:
    # A small cache, so that a transaction spills into the file and its journal before it ends.
    sealed.execute("PRAGMA cache_size = 20")
    sealed.execute(f"PRAGMA journal_mode = {argument}")
    sealed.execute("PRAGMA wal_autocheckpoint = 0")
    tables = [row[0] for row in sealed.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")]
    sealed.execute("BEGIN IMMEDIATE")
    # Rows all over the file: their pages' former content goes into a rollback journal.
    for table in tables:
        sealed.execute(f'DELETE FROM "{table}" WHERE random() & 1')
    for number, table in enumerate(tables):
        sealed.execute(f'CREATE TABLE demo_copy_{number} AS SELECT * FROM "{table}"')
        sealed.execute(f'CREATE TEMP TABLE demo_sorted_{number} AS SELECT * FROM "{table}" ORDER BY random()')
    print("writing", flush=True)
    sys.stdin.read()
    sealed.execute("ROLLBACK")
