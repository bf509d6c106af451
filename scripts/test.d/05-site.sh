#!/bin/sh
# Makes the site without the API, twice, to the same bytes; what scripts/make-site.py --check refuses is planted in it, and must be named;
# and the figures of a benchmark's output.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "site check: $1" >&2; cat "$work/said" >&2; exit 1; }

mkdir "$work/site" "$work/again"
scripts/make-site.py "$work/site" >"$work/said" 2>&1 || fail "can't be made"
made=$(cat "$work/said")
scripts/make-site.py "$work/again" >"$work/said" 2>&1 || fail "can't be made again"
diff -r "$work/site" "$work/again" >"$work/said" || fail "two sites of the same documents differ"
pages="$work/site/pages"
! grep -lE '<(script|link|img)[^>]*https?:' "$work/site/index.html" "$pages"/*.html >"$work/said" || fail "a page fetches from another host"
! grep -E 'https?:|@import|@font-face' "$pages/search.js" "$pages/style.css" >"$work/said" || fail "the script or the style fetches"
/usr/bin/python3 - "$pages/search-index.js" >"$work/said" 2>&1 <<'PYTHON' || fail "the index isn't what it should be"
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
entries = json.loads(text.removeprefix("siteIndex(").removesuffix(");\n"))
assert any(title == "Key slots" or "Key slots" in title for title, _, address, _, _ in entries if address.startswith("pages/FORMAT.html#"))
assert all(len(entry) == 5 and entry[0] and entry[2] for entry in entries)
PYTHON

# Every fault at once, each in a page of its own.
cd "$work/again/pages"
sed -i 's/ id="5-key-slots"//; s/href="Glossary.html/href="Nowhere.html/' FORMAT.html
sed -i 's/href="FORMAT.html/href="..\/..\/FORMAT.html/' DocumentFormat.html
sed -i 's/src="Pictures/src="https:\/\/example.invalid\/Pictures/; s/ alt="[^"]*"/ alt=""/' README.html
sed -i 's/ id="[^"]*"/ id="same"/' Backup.html
cd - >/dev/null
! scripts/make-site.py "$work/again" --check 2>"$work/said" || fail "faults aren't refused"
for fault in '#5-key-slots has no such heading' "FORMAT.html: Nowhere.html doesn't exist" 'DocumentFormat.html: ../../FORMAT.html leads out of the site' \
    'README.html: <img> would fetch' 'README.html: a picture without a text' 'Backup.html: the id same twice'; do
    grep -qF "$fault" "$work/said" || fail "not refused: $fault"
done

# Lines as the benchmarks print them: of SealedFileBench, DocumentBench and bench-cold.py.
cat >"$work/output" <<'OUTPUT'
full scan            WAL      0.203    0.340    1.66    2.20    1.87    -11    2.20   125000        0    0.000    0.000       5.57 1.61
point reads          DELETE   1.201    1.394    1.18    1.30    1.17      1    1.30   800000        0    0.000    0.000          -    -
sealed / plain, random reads: 0.22  at most 2.0
count by a number: 86 ms / 100 ms = 0.86, at most 1.0
OUTPUT
scripts/make-figures.py --output "$work/figures" "$work/output" >"$work/said" || fail "no figures of a benchmark's output"
grep -q 'Sealite, full scan, WAL: 1.66, bound 2.2; SQLCipher, full scan, WAL: 5.57; .*; Sealite, point reads, DELETE: 1.18, bound 1.3[.]' \
    "$work/figures/sqlite-files.svg" || fail "the figure doesn't say what was measured"
[ "$(ls "$work/figures" | wc -l)" -eq 3 ] || fail "not a figure for each benchmark"
! echo 'nothing' | scripts/make-figures.py --output "$work/figures" /dev/stdin 2>"$work/said" && grep -q 'no ratios' "$work/said" ||
    fail "figures of nothing"
echo "site: $made"
