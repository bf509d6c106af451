#!/bin/sh
# That the fuzz targets still compile for libFuzzer, whose build with coverage costs more than it finds in seconds: FuzzCorpusTests runs
# the targets over thousands of changed inputs without it, and the soak has half an hour of libFuzzer for each.
# Usage: 10-fuzz.sh FOLDER, that of the tests' build.
set -eu
exec scripts/fuzz.sh check "$1"
