#!/bin/sh
# Searches every write(2) of the release tool that reaches the kernel for what the database holds: under strace, over every
# journal mode, with temporary files, VACUUM, encrypt, rotation and backup. The same SQL through Debian's sqlite3 on a
# plain file must show every marker, or the search proves nothing.
# Usage: 20-markers.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
[ -x "$tool" ] || { make --no-print-directory product NAME=sealite; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
mkdir tmp
export SQLITE_TMPDIR="$work/tmp"
head -c 32 /dev/urandom > key
chmod 600 key

script() {
    cat <<SQL
PRAGMA journal_mode=$1; PRAGMA temp_store=FILE; PRAGMA cache_size=10; PRAGMA cache_spill=5; PRAGMA secure_delete=OFF;
CREATE TABLE marker_of_a_name_3141(x);
CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT, data BLOB, k TEXT);
CREATE INDEX by_key ON notes(k);
CREATE VIRTUAL TABLE found USING fts5(body);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500) INSERT INTO notes
    SELECT x, 'marker-in-text-4711 ' || x || hex(randomblob(60)), CAST('marker-in-blob-0815' AS BLOB) || randomblob(30),
    'marker-in-index-2357' || x FROM n;
INSERT INTO found SELECT 'markerinfulltext1123 ' || id FROM notes;
INSERT INTO notes(body) SELECT 'marker-deleted-1618' FROM notes; DELETE FROM notes WHERE id > 500;
BEGIN; UPDATE notes SET body = body || '!'; SAVEPOINT s; UPDATE notes SET k = k || '?'; ROLLBACK TO s; COMMIT;
CREATE TEMP TABLE aside AS SELECT * FROM notes;
SELECT max(length(body)) FROM (SELECT body, k FROM notes, (SELECT 1 FROM notes LIMIT 40) ORDER BY data, random());
SELECT count(*) FROM (SELECT DISTINCT body || k || random() FROM notes, (SELECT 1 FROM notes LIMIT 40));
VACUUM;
SQL
}
traced() {
    strace -f -qq -xx -s 200000 -e trace=write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,sendto \
        -o "$trace" "$@" >/dev/null
}
hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../\\x&/g'; }

markers="marker_of_a_name_3141 marker-in-text-4711 marker-in-blob-0815 marker-in-index-2357 markerinfulltext1123
    marker-deleted-1618"
total=0
for mode in DELETE TRUNCATE PERSIST WAL; do
    script $mode > script
    trace="$work/plain.trace"
    traced sqlite3 "plain-$mode.db" < script
    trace="$work/sealed.trace"
    "$tool" create "$mode.db" --key-file key > /dev/null
    traced "$tool" sql "$mode.db" --key-file key < script
    cp sealed.trace all.trace
    for command in "encrypt plain-$mode.db again-$mode.db" "key rotate $mode.db" "backup $mode.db copy-$mode.db" \
        "verify $mode.db"; do
        # shellcheck disable=SC2086 # a list of words
        traced "$tool" $command --key-file key
        cat sealed.trace >> all.trace
    done
    for marker in $markers; do
        pattern=$(hex "$marker")
        grep -qF "$pattern" plain.trace || { echo "markers: $marker isn't in the writes of plain SQLite, $mode" >&2; exit 1; }
        if grep -F "$pattern" all.trace | cut -c1-100 | head -3 | grep .; then
            echo "markers: $marker reached the disk, $mode" >&2
            exit 1
        fi
        if grep -laF "$marker" "$mode.db"* "again-$mode.db"* "copy-$mode.db"* tmp/* 2>/dev/null; then
            echo "markers: $marker is in these files, $mode" >&2
            exit 1
        fi
    done
    count=$(grep -c 'write' all.trace)
    total=$((total + count))
    echo "markers: $mode: $count writes searched, nothing found"
done
[ "$total" -gt 1000 ] || { echo "markers: only $total writes were seen" >&2; exit 1; }
