#!/bin/sh
# The ten tasks of a newcomer, with a mistake each, by the tests' build. Usage: 55-tasks.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
scripts/fresh-machine/tasks.sh "$1/release" >"$log" 2>&1 || { cat "$log"; exit 1; }
tail -n 1 "$log"
