#!/bin/sh
# Builds the README's Swift as a stranger would: in a package of its own with README's manifest, beside a clone of Sealite, every module
# from its source.
set -eu
cd "$(dirname "$0")/../.."
work=$PWD/.build/readme-package
mkdir -p "$work/Notes/Sources/Notes"
ln -sfn "$PWD" "$work/Sealite"
scripts/readme-program.py --manifest README.md >"$work/Notes/Package.swift"
scripts/readme-program.py README.md >"$work/Notes/Sources/Notes/main.swift"
# The versions that Sealite is tested with.
[ ! -e Package.resolved ] || cp Package.resolved "$work/Notes/"
swift build --package-path "$work/Notes" --product Notes
echo "readme: its Swift builds as a package of its own"
