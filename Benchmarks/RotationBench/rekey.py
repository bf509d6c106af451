"""Makes a SQLCipher database of so many rows and prints how many seconds PRAGMA rekey takes: rekey.py PATH MODE ROWS"""

import os
import sys
import time

from sqlcipher3 import dbapi2 as sqlcipher

path, mode, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
for end in ("", "-wal", "-shm", "-journal"):
    if os.path.exists(path + end):
        os.remove(path + end)
connection = sqlcipher.connect(path, isolation_level=None)
connection.execute("PRAGMA key=\"x'%s'\"" % ("11" * 32))
connection.execute("PRAGMA journal_mode=%s" % mode).fetchall()
connection.execute("PRAGMA synchronous=OFF")
connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c BLOB)")
connection.execute(
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < %d)"
    " INSERT INTO t SELECT x, x * 7919 %% 1000003, randomblob(490) FROM n" % rows
)
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
connection.execute("PRAGMA synchronous=FULL")
os.sync()
start = time.monotonic()
connection.execute("PRAGMA rekey=\"x'%s'\"" % ("22" * 32))
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
print("%.3f" % (time.monotonic() - start))
