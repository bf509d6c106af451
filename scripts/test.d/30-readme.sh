#!/bin/sh
# Runs the README's console sessions as they stand, and its Swift, twice, in the folder that they leave: Examples/Readme, which
# has to be what README says; and the program of FirstApp.md, Examples/FirstApp, twice until its live query has printed.
# `make soak` builds README's Swift as a package of its own (scripts/soak.d/70-readme-package.sh).
# Usage: 30-readme.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
built=$(readlink -f "$1/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() {
    scripts/readme-program.py "$1" | diff - "$2" ||
        { echo "readme: the Swift of $1 isn't $2; make that anew by scripts/readme-program.py" >&2; exit 1; }
}
check README.md Examples/Readme/main.swift
check Documentation/FirstApp.md Examples/FirstApp/main.swift
scripts/readme-sessions.py README.md "$built/sealite" "$work"
cd "$work"
"$built/Readme" >printed
printf '%s\n' '3 notes, the first: buy milk' 'epoch 2' | diff - printed
"$built/Readme" >printed
printf '%s\n' '4 notes, the first: buy milk' 'epoch 3' | diff - printed
# An error ends it with the error's text instead of a trap, whose exit code is that of a signal.
mkdir empty
(cd empty && "$built/Readme" 2>said) && code=0 || code=$?
[ "$code" -eq 1 ] && [ "$(wc -l <empty/said)" -eq 1 ] && grep -q '"notes.key"' empty/said ||
    { echo "readme: without a key its program ends with $code: $(cat empty/said)" >&2; exit 1; }
echo "readme: its Swift does what it says, twice"

# The store of FirstApp is a vault in this folder, whose passphrase is provided as systemd provides it. Its live query
# ends only with the process. `stdbuf` makes it write each line at once, which C programs do only on a terminal.
mkdir first first/credentials
cd first
printf passphrase >credentials/sealite.vault
chmod 600 credentials/sealite.vault
export CREDENTIALS_DIRECTORY="$PWD/credentials" XDG_DATA_HOME="$PWD/data"
for count in 2 4; do
    timeout 300 stdbuf -oL "$built/FirstApp" >printed &
    first=$!
    until grep -qx "$count open" printed; do
        kill -0 $first 2>/dev/null || { echo "readme: the program of FirstApp.md ended: $(cat printed)" >&2; exit 1; }
        sleep 0.1
    done
    kill $first
    wait $first 2>/dev/null || true
    [ "$(grep -cx apples printed)" -eq $((count / 2)) ]
    [ "$(grep -cx bread printed)" -eq $((count / 2)) ]
done
echo "readme: the program of FirstApp.md stores, finds and observes notes, twice"
