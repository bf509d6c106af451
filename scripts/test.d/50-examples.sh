#!/bin/sh
# Runs the example programs of the tests' build. Usage: 50-examples.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
built=$(readlink -f "$1/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$built/sealite" keygen -q -o notes.key

"$built/Notes" notes.db notes.key add hello >added
"$built/Notes" notes.db notes.key add goodbye >/dev/null
[ "$("$built/Notes" notes.db notes.key list hell | cut -d ' ' -f 3)" = hello ]
"$built/Notes" notes.db notes.key remove "$(cut -d ' ' -f 2 added)"
[ "$("$built/Notes" notes.db notes.key list | wc -l)" -eq 1 ]

"$built/GRDBNotes" tables.db notes.key hello >/dev/null
[ "$("$built/GRDBNotes" tables.db notes.key again)" = "1  hello
2  again" ]

mkdir pair
[ "$("$built/SyncPair" pair)" = "office 2, laptop 2
office 3, laptop 3" ]
echo "examples: notes, GRDB and a syncing pair run"
