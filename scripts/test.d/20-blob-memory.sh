#!/bin/sh
# A blob larger than the memory bound; the soak does the same with 1 GiB.
set -eu
cd "$(dirname "$0")/../.."
exec scripts/blob-memory.sh "$PWD/.build/debug/sealite" 96
