#!/bin/sh
# A blob of 1 GiB goes in and out in constant memory.
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory product NAME=sealite
exec scripts/blob-memory.sh "$PWD/.build/release/sealite" 1024
