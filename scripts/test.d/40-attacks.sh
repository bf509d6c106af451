#!/bin/sh
# The attack scripts that need nothing but the tool that `make test` built. The others are started by tests, which prepare what
# they attack (Tests/Attacks/README.md). Usage: 40-attacks.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
for attack in forge_recovery put_header_back hostile_database; do python3 "Tests/Attacks/$attack.py" "$1/release/sealite"; done
