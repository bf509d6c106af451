#!/bin/sh
# An index over a million vectors of 64 dimensions: its searches are compared with scans of the vectors in memory, before and after
# thousands of changes, and all of its entries with the documents. Usage: 48-vectors.sh [COUNT]
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory product NAME=VectorBench
exec .build/release/VectorBench large "${1:-1000000}"
