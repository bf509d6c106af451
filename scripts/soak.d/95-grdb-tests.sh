#!/bin/sh
# GRDB's own tests with every database file sealed, beside plain files of 48 reserved bytes: only the differences of
# scripts/grdb-suite/expected-differences may be found. Building GRDB's tests takes ten minutes, both runs together as much.
# Usage: [EXTENSION=LIBRARY] 95-grdb-tests.sh [CLASS...]
set -eu
cd "$(dirname "$0")/../.."
library=${EXTENSION:-.build/release/libsealitevfs.so}
[ -e "$library" ] || make --no-print-directory extension
scripts/grdb-suite/build.sh .build/grdb-suite
exec scripts/grdb-suite/tests.py .build/grdb-suite "$library" "$@"
