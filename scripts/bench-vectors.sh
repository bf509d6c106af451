#!/bin/bash
# Runs VectorBench, and other programs on the same vectors, which come from PyPI into a venv of their own; without them where they
# can't be had. Usage: bench-vectors.sh [COUNT]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/bench-vector-peers
packages=(numpy==2.4.6 sqlite-vec==0.1.9 sqliteai-vector==1.1.2 apsw==3.54.1.0 faiss-cpu==1.15.1 usearch==2.26.6)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make --no-print-directory product NAME=VectorBench
.build/release/VectorBench "${1:-100000}" "$folder" | tee "$folder/report"
make --no-print-directory extension
# A Python that may load extensions, which others often may not.
[ -x "$venv/bin/pip" ] || "$(command -v /usr/bin/python3 || echo python3)" -m venv "$venv" || {
    echo "bench: no venv (python3-venv): without the peers" >&2
    exit 0
}
# One by one: those that can be installed are measured.
for package in "${packages[@]}"; do
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$package" ||
        echo "bench: $package can't be installed: without it" >&2
done
"$venv/bin/python" -c 'import numpy' || exit 0
"$venv/bin/python" Benchmarks/VectorBench/vector_peers.py "$folder" .build/release/libsealitevfs.so "$folder/report"
