#!/bin/sh
# usearch 2.26.6 (PyPI, Python 3.11, x86-64): an index with dtype="i8" and metric="l2sq" stores float vectors without their lengths.
#
# Each vector is divided by its own length before it is rounded to bytes, also for the squared Euclidean distance, for which lengths
# matter. Vectors of one direction become equal, and the search returns a far one as if it were the same. No error or warning is given.
# With dtype="f32" or "f16" the same calls give the right order. Seen, for the vectors (0.1, 0.1), (0.9, 0.9), (0.2, 0.1), searched for
# (0.1, 0.1):
#
#     i8  stored [[89, 89], [89, 89], [113, 56]]  distances of 0, 1, 2: [0.0, 0.0, 1665.0]
#     f32 stored [[0.1, 0.1], [0.9, 0.9], [0.2, 0.1]]  distances of 0, 1, 2: [0.0, 1.28, 0.01]
#
# Installs usearch==2.26.6 and numpy==2.4.6 in a temporary folder. Exits with 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check usearch==2.26.6 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import numpy
from usearch.index import Index

vectors = numpy.array([[0.1, 0.1], [0.9, 0.9], [0.2, 0.1]], numpy.float32)
distances = {}
for dtype in ("i8", "f32"):
    index = Index(ndim=2, metric="l2sq", dtype=dtype)
    index.add(numpy.arange(3), vectors)
    found = index.search(vectors[0], 3)
    by_key = {int(key): float(distance) for key, distance in zip(found.keys, found.distances)}
    distances[dtype] = [round(by_key[key], 3) for key in range(3)]
    stored = [[round(float(value), 3) for value in index.get(key)] for key in range(3)]
    print(dtype, "stored", stored, "distances", distances[dtype])
if distances["i8"][1] != 0 or distances["i8"][2] == 0 or distances["f32"] != [0.0, 1.28, 0.01]:
    sys.exit("the behaviour has changed")
PYTHON
