#!/bin/bash
# Runs the benchmark beside SQLCipher and SQLite3MultipleCiphers, which come from PyPI into a venv of their own. Where they can't
# be had, their columns stay empty. Arguments go to SealedFileBench; `--rows 100000 --rounds 3` is a short form.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.build/release
venv=.build/bench-peers
packages=(sqlcipher3-binary==0.6.0 apsw-sqlite3mc==3.54.0.0)

if [ ! -e "$venv/complete" ]; then
    if python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "${packages[@]}"; then
        touch "$venv/complete"
    else
        echo "bench: ${packages[*]} can't be installed (python3-venv, PyPI): without the peers" >&2
    fi
fi
peers=()
if [ -e "$venv/complete" ]; then peers=(--peers "$venv/bin/python" Benchmarks/SealedFileBench/peers.py); fi
exec "$bin/SealedFileBench" --tool "$bin/sealite" "${peers[@]}" "$@"
