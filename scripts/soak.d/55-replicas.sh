#!/bin/sh
# Copies of a database in processes of their own are equal after random changes, syncs in drawn roles and directions, kills, wrong
# clocks, purges, upgrades and files that are put back; see scripts/replicas/rounds.py, which draws and prints a seed.
# Usage: 55-replicas.sh [OPTION…]    those of rounds.py, such as --seed 7 --runs 1
set -eu
cd "$(dirname "$0")/../.."
tool=.build/tests/release/sealite
[ -e "$tool" ] || { echo "replicas: no tool is built; run 'make test' first" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang -O1 -shared -fPIC -o "$work/shift.so" scripts/replicas/shift.c
python3 scripts/replicas/rounds.py "$tool" "$work/shift.so" "$@"
