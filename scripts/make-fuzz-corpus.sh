#!/bin/sh
# Makes the databases and the first inputs of the fuzz targets in Fixtures/Fuzz. Databases that are there already stay as they are, and
# so do inputs, to which those that are new are added.
set -eu
cd "$(dirname "$0")/.."
export SEALITE_MAKE_FUZZ_CORPUS=1 SEALITE_FUZZ_INPUTS="$PWD/.build/fuzz-inputs"
rm -rf "$SEALITE_FUZZ_INPUTS"
swift test --filter 'FuzzCorpusMaker/databases'
swift test --skip-build --filter 'FuzzCorpusMaker/inputs'
for folder in "$SEALITE_FUZZ_INPUTS"/*; do
    scripts/pack-fixtures.py pack "Fixtures/Fuzz/$(basename "$folder").jsonl" "$folder"
done
