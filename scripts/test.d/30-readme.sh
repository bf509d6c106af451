#!/bin/sh
# Runs the README's console sessions as they stand, and its Swift in the folder that they leave: Examples/Readme, which has to be what
# README says. `make soak` builds it as a package of its own (scripts/soak.d/70-readme-package.sh).
# Usage: 30-readme.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
built=$(readlink -f "$1/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/readme-program.py README.md | diff - Examples/Readme/main.swift ||
    { echo "readme: its Swift isn't Examples/Readme/main.swift; make that anew by scripts/readme-program.py" >&2; exit 1; }
scripts/readme-sessions.py README.md "$built/sealite" "$work"
cd "$work"
"$built/Readme" >printed
printf '%s\n' '3 notes, the first: buy milk' Jasper '3 notes in the archive' 'epoch 2' | diff - printed
echo "readme: its Swift does what it says"
