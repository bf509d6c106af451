#!/bin/sh
# What scripts/check-links.py and scripts/make-pictures.py refuse: each fault is planted in a copy of the documents, and must be named.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "links check: $1" >&2; cat "$work/said" >&2; exit 1; }

cp -R Documentation scripts Package.swift ./*.md "$work/"
# The links that lead out of the documents.
mkdir "$work/Sources" "$work/Tests" "$work/Fixtures" "$work/Examples"
for target in $(grep -rhoE '\]\(\.\./(Sources|Tests|Fixtures|findings)[^)#]*' Documentation | sed 's/^](..\///'); do
    mkdir -p "$work/$(dirname "$target")"; touch "$work/$target"
done
git -C "$work" init -q
check() { "$work/scripts/check-links.py" >"$work/said" 2>&1; }
# refused TEXT FAULT: a document with this text must be refused for the fault.
refused() {
    printf '%b\n' "$1" >"$work/Documentation/Planted.md"
    ! check && grep -qF "$2" "$work/said" || fail "passed: $1"
    rm "$work/Documentation/Planted.md"
}

: >"$work/said"
check || fail "the documents as they are aren't clean"
refused 'text' 'Planted.md: no document links to it'
refused '[a](Nowhere.md)' "Planted.md:1: Nowhere.md doesn't exist"
refused '[a](FORMAT.md#no-such-heading)' 'Planted.md:1: FORMAT.md has no heading #no-such-heading'
refused '# One\n[a](#two)' 'Planted.md:2: Planted.md has no heading #two'
refused '![a](Pictures/none.svg)' "Pictures/none.svg doesn't exist"

"$work/scripts/make-pictures.py" --check || fail "the pictures as they are aren't what the script makes"
echo '<!-- -->' >>"$work/Documentation/Pictures/floors.svg"
! "$work/scripts/make-pictures.py" --check 2>"$work/said" || fail "an edited picture passed"
sed -i 's/name: "SealiteQuery"/name: "SealiteOther"/' "$work/Package.swift"
"$work/scripts/make-pictures.py" && ! grep -q SealiteQuery'<' "$work/Documentation/Pictures/floors.svg" ||
    fail "the floors aren't the manifest's"
echo "links check: every fault is refused"
