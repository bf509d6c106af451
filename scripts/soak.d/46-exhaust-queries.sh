#!/bin/sh
# Queries and pipelines over the documents of an attacker, each in 3 GiB of address space, and each again with SIGINT in the middle
# (Tests/Attacks/README.md). Usage: 46-exhaust-queries.sh [SEALITE]
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Attacks/exhaust_queries.py "${1:-.build/tests/release/sealite}"
