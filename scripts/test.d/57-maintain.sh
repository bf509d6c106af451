#!/bin/sh
# What the packages' timers run keeps the newest backups, whatever the clock says, and rotates keys.
# Usage: 57-maintain.sh FOLDER, that of the tests' build.
set -eu
tool=$(cd "$1/release" && pwd)
maintain=$(cd "$(dirname "$0")/../../Packaging/systemd" && pwd)/maintain
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "maintain: $1" >&2; exit 1; }
PATH=$tool:$PATH HOME=$folder/home XDG_DATA_HOME=$folder CREDENTIALS_DIRECTORY=$folder/credentials
export PATH HOME XDG_DATA_HOME CREDENTIALS_DIRECTORY
mkdir -p "$HOME" "$CREDENTIALS_DIRECTORY"
sealite keygen -q -o "$CREDENTIALS_DIRECTORY/sealite.key"
sealite create -q --no-input -k "$CREDENTIALS_DIRECTORY/sealite.key" notes.db >/dev/null
backups() { find backups -name '*.db' | wc -l; }
run() { status=0; sh "$maintain" "$@" >out 2>&1 || status=$?; }

for number in 0 -1 abc 07; do
    export BACKUPS_KEPT=$number
    run backup notes
    [ "$status" -eq 64 ] || fail "BACKUPS_KEPT=$number ended with $status"
    [ ! -e backups ] || fail "BACKUPS_KEPT=$number made backups"
done
export BACKUPS_KEPT=2
for _ in 1 2 3; do
    run backup notes
    [ "$status" -eq 0 ] || { cat out >&2; fail "a backup ended with $status"; }
    sleep 1
done
[ "$(backups)" -eq 2 ] || fail "$(backups) backups are kept, not 2"
newest=$(find backups -name '*.db' | sort | tail -n 1)
cp "$newest" backups/notes-2026-by-hand.db
cp "$newest" backups/notes-99990101T000000Z.db
run backup notes
[ "$status" -eq 0 ] || fail "a backup beside one of a later time ended with $status"
grep -q 'later time' out || fail "doesn't say that the clock is wrong"
[ "$(backups)" -eq 5 ] || fail "$(backups) backups are there after one of a later time, not 5"
rm backups/notes-9999*
sleep 1
run backup notes
[ "$(backups)" -eq 3 ] && [ -e backups/notes-2026-by-hand.db ] || fail "a backup made by hand was removed, or old ones weren't"
run rotate notes
[ "$status" -eq 0 ] || { cat out >&2; fail "the rotation ended with $status"; }
sealite info -k "$CREDENTIALS_DIRECTORY/sealite.key" notes.db | grep -q '^epoch  *2$' || fail "not rotated"
echo "maintain: the newest backups are kept, others and those of a wrong clock aren't removed, and keys are rotated"
