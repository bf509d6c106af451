#!/bin/sh
# SQLite's own test files with every database sealed, beside plain databases of 48 reserved bytes: only the differences of
# scripts/sqlite-suite/expected-differences may be found. The files that its first lines name as compared are run; it takes hours,
# at low priority.
# Usage: [EXTENSION=LIBRARY] 90-sqlite-suite.sh [--resume] [--seconds N] [--trial | --all | FILE...]
#     --trial: some files of each kind, minutes; --all: 1,128; --resume: goes on where a run was stopped
set -eu
cd "$(dirname "$0")/../.."
library=${EXTENSION:-.build/release/libsealitevfs.so}
[ -e "$library" ] || make --no-print-directory extension
scripts/sqlite-suite/build.sh .build/sqlite-suite
exec scripts/sqlite-suite/suite.py .build/sqlite-suite "$library" "$@"
