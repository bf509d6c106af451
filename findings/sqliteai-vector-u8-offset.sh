#!/bin/sh
# sqliteai-vector 1.1.2 (PyPI, Python 3.11, SQLite 3.40.1, x86-64): with codes of 8 bits, vectors without negative numbers have other
# cosines and products, so that a search finds other vectors.
#
# vector_quantize() chooses UINT8 for such vectors if qtype isn't given. It subtracts the least of all numbers from each before it scales
# to bytes, and vector_quantize_scan() computes the cosine or the product of the bytes. Both change when vectors are shifted. The distances
# of L2 keep their order, but have the units of the bytes. No error or warning is given. With qtype=INT8, which only scales, the cosines
# are right. Seen, for the vectors 1 = (10, 1) and 2 = (4, 2), searched for (2, 1), which has the direction of 2:
#
#     COSINE exact [(2, 0.0), (1, 0.0655)]  default [(1, 0.0), (2, 0.0502)]  INT8 [(2, 0.0003), (1, 0.0704)]
#     L2     exact [(2, 2.2361), (1, 8.0)]  default [(2, 63.5059), (1, 227.0)]  INT8 [(2, 28.6356), (1, 102.0)]
#
# Installs sqliteai-vector==1.1.2 in a temporary folder. Exits with 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A Python that may load extensions.
/usr/bin/python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqliteai-vector==1.1.2
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.resources
import sqlite3
import struct
import sys

first = {}
for distance in ("COSINE", "L2"):
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(str(importlib.resources.files("sqlite_vector.binaries") / "vector"))
    connection.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, vector BLOB)")
    for vector in ((10, 1), (4, 2)):
        connection.execute("INSERT INTO v(vector) VALUES (?)", (struct.pack("<2f", *vector),))
    connection.execute("SELECT vector_init('v', 'vector', ?)", (f"dimension=2,type=FLOAT32,distance={distance}",)).fetchall()

    def search(function):
        rows = connection.execute(f"SELECT rowid, distance FROM {function}('v', 'vector', ?, 2)", (struct.pack("<2f", 2, 1),))
        return [(row, round(far, 4)) for row, far in rows]

    found = {"exact": search("vector_full_scan")}
    for name, options in (("default", ""), ("INT8", "qtype=INT8")):
        connection.execute("SELECT vector_quantize('v', 'vector', ?)", (options,)).fetchall()
        found[name] = search("vector_quantize_scan")
    print(f"{distance:6}", "  ".join(f"{name} {rows}" for name, rows in found.items()))
    first[distance] = {name: rows[0] for name, rows in found.items()}
if first["COSINE"]["exact"][0] != 2 or first["COSINE"]["default"][0] != 1 or first["COSINE"]["INT8"][0] != 2:
    sys.exit("the behaviour has changed")
PYTHON
