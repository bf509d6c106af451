#!/bin/sh
# Checks the types of the benchmarks, which `make test` doesn't build, with the modules of the tests' build.
# Usage: 35-benchmarks.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
exec scripts/check-benchmarks.py "$1"
