#!/bin/sh
# A blob larger than the memory bound, which is that of a build without optimisation; the soak does the same with 1 GiB and a release build.
# Usage: 20-blob-memory.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
exec scripts/blob-memory.sh "$PWD/$1/release/sealite" 192 96
