#!/bin/sh
# Runs the README's console sessions as they stand, and its Swift in the folder that they leave: Examples/Readme, which
# has to be what README says; and the program of FirstApp.md, Examples/FirstApp, until its live query has printed.
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
printf '%s\n' '3 notes, the first: buy milk' Jasper '3 notes in the archive' 'epoch 2' | diff - printed
echo "readme: its Swift does what it says"

# The store of FirstApp is a vault in this folder, whose passphrase is provided as systemd provides it. Its live query
# ends only with the process. `stdbuf` makes it write each line at once, which C programs do only on a terminal.
mkdir first first/credentials
cd first
printf passphrase >credentials/sealite.vault
chmod 600 credentials/sealite.vault
CREDENTIALS_DIRECTORY=$PWD/credentials XDG_DATA_HOME=$PWD/data timeout 300 stdbuf -oL "$built/FirstApp" >printed &
first=$!
until grep -q '2 open' printed; do
    kill -0 $first 2>/dev/null || { echo "readme: the program of FirstApp.md ended: $(cat printed)" >&2; exit 1; }
    sleep 0.1
done
kill $first
grep -qx apples printed
grep -qx bread printed
echo "readme: the program of FirstApp.md stores, finds and observes notes"
