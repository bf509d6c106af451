#!/bin/sh
# Speed and size of the document database: sealed documents against plain GRDB with the same JSON text, and, for scale, TinyDB
# and mongomock from PyPI in an environment of their own. Exits 1 when a bound is exceeded. Usage: bench-documents.sh [DOCUMENTS]
# `bench-documents.sh growth [DOCUMENTS]` compares the costs of a document among so many, 1,000,000, and among a hundredth of them.
set -eu
cd "$(dirname "$0")/.."
make --no-print-directory product NAME=DocumentBench
if [ "${1:-}" = growth ]; then exec .build/release/DocumentBench growth "${2:-1000000}"; fi
count=${1:-100000}
environment=.build/venv-documents
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment"
"$environment/bin/python3" -c "import tinydb, mongomock" 2>/dev/null ||
    "$environment/bin/pip" install --quiet --disable-pip-version-check tinydb==4.8.2 mongomock==4.3.0
"$environment/bin/python3" Benchmarks/DocumentBench/tinydb_bench.py "$count"
"$environment/bin/python3" Benchmarks/DocumentBench/mongomock_bench.py "$count"
exec .build/release/DocumentBench "$count"
