#!/bin/bash
# Runs VectorBench, and other programs on the same vectors, which come from PyPI into a venv of their own; without them where they
# can't be had. Usage: bench-vectors.sh [COUNT]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.build/bench-vector-peers
packages=(numpy==2.4.6 sqlite-vec==0.1.9 faiss-cpu==1.15.1 usearch==2.26.6)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make --no-print-directory product NAME=VectorBench
.build/release/VectorBench "${1:-100000}" "$folder"
if [ ! -e "$venv/complete" ]; then
    # A Python that may load extensions, which others often may not.
    if "$(command -v /usr/bin/python3 || echo python3)" -m venv "$venv" && "$venv/bin/pip" install --quiet "${packages[@]}"; then
        touch "$venv/complete"
    else
        echo "bench: ${packages[*]} can't be installed (python3-venv, PyPI): without the peers" >&2
        exit 0
    fi
fi
"$venv/bin/python" Benchmarks/VectorBench/vector_peers.py "$folder"
