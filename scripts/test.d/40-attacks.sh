#!/bin/sh
# Every script under Tests/Attacks plays an attacker against the tool that `make test` built, and fails where one gets through.
set -eu
cd "$(dirname "$0")/../.."
for attack in Tests/Attacks/[!_]*.py; do python3 "$attack" .build/debug/sealite; done
