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
[ "$("$built/SyncPair" pair notes.key)" = "office 2, laptop 2
office 3, laptop 3" ]
[ "$("$built/SyncPair" pair notes.key)" = "office 3, laptop 3
office 3, laptop 3" ]

"$built/sealite" create persons.db -k notes.key >/dev/null 2>&1
"$built/PersonMigration" persons.db notes.key 1 Ada Lovelace 36
for _ in 1 2; do [ "$("$built/PersonMigration" persons.db notes.key 2)" = "Ada Lovelace, 36" ]; done

echo "SELECT text FROM note ORDER BY text" >script.sql
for _ in 1 2; do [ "$("$built/GRDBDump" tables.db notes.key script.sql)" = "again
hello" ]; done

# An error ends each with one line of text instead of a trap, whose exit code is that of a signal.
"$built/sealite" keygen -q -o other.key
fails() {
    "$built/$@" >/dev/null 2>said && code=0 || code=$?
    [ "$code" -eq 1 ] && [ "$(wc -l <said)" -eq 1 ] || { echo "examples: $* ends with $code: $(cat said)" >&2; exit 1; }
}
for program in Notes GRDBNotes GRDBDump PersonMigration SyncPair; do
    fails $program
    grep -q "^usage: $program " said
done
fails Notes notes.db other.key list
fails GRDBNotes tables.db other.key text
fails GRDBDump tables.db other.key script.sql
fails PersonMigration persons.db other.key 2
fails SyncPair pair other.key
echo "examples: notes, GRDB, a migration and a syncing pair run, again, and refuse another key"
