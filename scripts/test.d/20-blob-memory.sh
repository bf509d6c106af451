#!/bin/sh
# A blob larger than the memory bound, which is that of a debug build; the soak does the same with 1 GiB and a release build.
set -eu
cd "$(dirname "$0")/../.."
exec scripts/blob-memory.sh "$PWD/.build/debug/sealite" 192 96
