#!/bin/sh
# Makes the databases and the first inputs of the fuzz targets in Fixtures/Fuzz. What is there already stays as it is.
set -eu
cd "$(dirname "$0")/.."
export SEALITE_MAKE_FUZZ_CORPUS=1
swift test --filter 'FuzzCorpusMaker/databases'
swift test --skip-build --filter 'FuzzCorpusMaker/inputs'
