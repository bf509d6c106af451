#!/bin/sh
# What scripts/release.py --check refuses, each named with its remedy, in a small repository of its own; and that a source archive knows its
# commit. `make release` itself needs a build; scripts/soak.d/62-packages.sh tries the packages.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "release check: $1" >&2; cat "$work/said" >&2; exit 1; }
: >"$work/said"

clone=$work/clone
mkdir -p "$clone/scripts" "$clone/Sources/SealiteFile"
cp scripts/release.py scripts/commit.sh "$clone/scripts/"
cp Sources/SealiteFile/SealiteFile.swift "$clone/Sources/SealiteFile/"
cp .gitattributes "$clone/"
cd "$clone"
git init -q -b main
git() { command git -c user.name=nobody -c user.email=nobody@example.invalid "$@"; }
number=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/SealiteFile/SealiteFile.swift)
check() { scripts/release.py "${1:-$number}" --check >"$work/said" 2>&1; }
# refused TEXT: what is committed is refused with the text.
refused() {
    git add -A
    git commit -q --allow-empty -m step
    ! check || fail "not refused: $1"
    grep -qF -- "$1" "$work/said" || fail "not named: $1"
}
printf '## Unreleased\n\n- one\n' >CHANGELOG.md
printf 'Version %s. from: "%s"\n' "$number" "$number" >README.md
refused "CHANGELOG.md has no section \"## $number (DATE)\""
printf '## Unreleased\n\n- one\n\n## %s\n\n- two\n' "$number" >CHANGELOG.md
refused 'move it to the section of the version'
grep -q 'has no date' "$work/said" || fail "doesn't miss the date"
printf '## %s (2026-01-31)\n' "$number" >CHANGELOG.md
refused 'is empty'
printf '## %s (2026-01-31)\n\n- two\n' "$number" >CHANGELOG.md
printf 'Version 0.0.0. from: "%s"\n' "$number" >README.md
refused "README.md doesn't contain \`Version $number.\`"
printf 'Version %s. from: "%s"\n' "$number" "$number" >README.md
git commit -q -a -m good
check || fail "refused without a reason"
! check 9.9.9 || fail "another version than that of the sources isn't refused"
grep -q "the sources have the version $number" "$work/said" || fail "doesn't name the version of the sources"
echo >>README.md
! check || fail "a tree with changes isn't refused"
grep -q "aren't committed" "$work/said" || fail "doesn't name the changes"
[ "$(scripts/commit.sh)" = "$(git rev-parse HEAD)-modified" ] || fail "commit.sh doesn't say that files were changed"
git checkout -q README.md
git tag "v$number"
! check || fail "a version with a tag isn't refused"
[ "$(scripts/commit.sh)" = "$(git rev-parse HEAD)" ] || fail "commit.sh doesn't say the commit"
mkdir "$work/archive"
git archive HEAD | tar -x -C "$work/archive"
[ "$("$work/archive/scripts/commit.sh")" = "$(git rev-parse HEAD)" ] && [ "$("$work/archive/scripts/commit.sh" --time)" = "$(git show -s --format=%ct HEAD)" ] ||
    fail "an archive doesn't know its commit"
rm -rf .git
[ -z "$(scripts/commit.sh)" ] || fail "commit.sh guesses a commit"
echo "release: what is missing is named; an archive knows its commit"
