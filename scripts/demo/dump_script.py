"""Prints a script of SELECTs, each of one text column, that together dump the schema and every table of a database.

Usage: dump_script.py DB
"""

import sqlite3
import sys

# No row reads like this: each begins with its table or its kind.
HEADING = "demo_line"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(f"SELECT quote(type) || ' ' || quote(name) || ' ' || quote(tbl_name) || ' ' || quote(sql) AS {HEADING} FROM sqlite_schema ORDER BY rowid;")
for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall():
    columns = [row[1] for row in connection.execute(f"PRAGMA table_xinfo({quoted(table)})") if row[6] == 0]
    values = " || ',' || ".join(f"quote({quoted(column)})" for column in columns)
    literal = table.replace("'", "''")
    order = ", ".join(quoted(column) for column in columns)
    print(f"SELECT '{literal}: ' || {values} AS {HEADING} FROM {quoted(table)} ORDER BY {order};")
