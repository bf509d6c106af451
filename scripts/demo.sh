#!/bin/bash
# Seals a database that others made, shows that nothing of it can be read on disk, opens it from four programs, refuses a
# wrong key and finds a flipped byte. Ends with a summary; exits 1 at the first thing that isn't as promised.
# Usage: demo.sh [PLAIN_DATABASE]
set -euo pipefail
cd "$(dirname "$0")/.."

plain=${1:-/usr/share/proj/proj.db}
source scripts/demo/stage.sh

opening "The demo, act 1 of 3: files" "Half a minute, after the build of the programs: the first time ten minutes of processor time, which all cores share," \
    "1 GB of disk, and 1 GB of memory or, from three cores on, half a GB for each." \
    "It seals a database that others made, searches the disk for its content, and opens it from four programs." \
    "Act 2 imports, queries and follows public records as documents; act 3 syncs two databases over TLS."

step "Building"
make --no-print-directory demo-programs
use_short_names

step "Sealing $plain"
cp "$plain" "$work/plain.db"
chmod 600 "$work/plain.db"
head -c 32 /dev/urandom >"$work/demo.key"
head -c 32 /dev/urandom >"$work/other.key"
chmod 600 "$work"/*.key
cd "$work"
run sealite encrypt plain.db sealed.db --key-file demo.key
done_with "sealed $(stat -c %s plain.db) bytes into $(stat -c %s sealed.db), mode $(stat -c %a sealed.db)"

# Prints a line for each file, and what was found in all of them together: lines of hits, needles found, needles.
search() {
    waiting_for python3 needles.py plain.db "$@" >found.txt
    while IFS=$'\t' read -r name hits found all size; do
        printf '  %-22s %11d bytes: %d of %d needles found, %d hits\n' "$name" "$size" "$found" "$all" "$hits"
    done <found.txt
}
total() { awk -F'\t' -v column="$1" '{ sum += $column } END { print sum + 0 }' found.txt; }

step "Searching every text and blob of 8 bytes or more, and every line of the schema, on disk"
search plain.db
needles=$(awk -F'\t' '{ print $4 }' found.txt)
[ "$needles" -gt 1000 ] || fail "only $needles needles: this proves nothing"
[ "$(total 3)" -eq "$needles" ] || fail "the search misses $((needles - $(total 3))) needles in the plain file"
done_with "the plain file shows all $needles needles"
search sealed.db
[ "$(total 2)" -eq 0 ] || fail "the sealed file shows content"
done_with "the sealed file shows none of them"

for mode in WAL DELETE; do
    mkdir "busy-$mode"
    cp sealed.db "busy-$mode/busy.db"
    coproc host { exec python3 host.py ./libsealitevfs.so "busy-$mode/busy.db" demo.key busy "$mode"; }
    writer=$host_PID
    read -r -u "${host[0]}" line || fail "the writer ended"
    [ "$line" = writing ] || fail "the writer said: $line"
    # Temporary files have no name any more: they are searched through the process that holds them.
    files=("busy-$mode"/*)
    number=0
    for link in /proc/"$writer"/fd/*; do
        case "$(readlink "$link" || true)" in
        *" (deleted)") cp "$link" "temporary-$mode-$((number += 1))" && files+=("temporary-$mode-$number") ;;
        esac
    done
    search "${files[@]}"
    case "$mode" in WAL) journal=busy.db-wal ;; *) journal=busy.db-journal ;; esac
    written=$(stat -c %s "busy-$mode/$journal")
    [ "$written" -gt 100000 ] || fail "$journal holds only $written bytes: this proves nothing"
    [ "$(total 2)" -eq 0 ] || fail "content shows on disk while a transaction runs in mode $mode"
    eval "exec ${host[1]}>&-"
    wait "$writer"
    done_with "in mode $mode, in mid-transaction: 0 hits in ${#files[@]} files (database, $journal of $written bytes, temporary files)"
done

step "Opening it with four programs"
python3 dump_script.py plain.db >dump.sql
sqlite3 -batch plain.db <dump.sql >dump.plain
printf '$ sealite sql sealed.db --key-file demo.key --csv <dump.sql\n'
sealite sql sealed.db --key-file demo.key --csv <dump.sql | python3 first_column.py >dump.tool
run GRDBDump sealed.db demo.key dump.sql >dump.grdb
run_bare sqlite3 -batch :memory: ".load ./libsealitevfs" \
    "SELECT sealite_unlock_key_file('sealed.db', 'demo.key')" ".open file:sealed.db?vfs=sealite" ".read dump.sql" |
    sed '1d' >dump.shell
run_bare python3 host.py ./libsealitevfs.so sealed.db demo.key dump dump.sql >dump.python
rows=$(wc -l <dump.plain)
digest=$(sha256sum <dump.plain | cut -c 1-16)
for program in tool grdb shell python; do
    cmp dump.plain "dump.$program" || fail "the dump by $program differs from the plain file's"
    printf '  %-8s %d lines, sha256 %s…\n' "$program" "$(wc -l <"dump.$program")" "$digest"
done
sqlite3 -batch plain.db .dump >full.plain
env -i sqlite3 -batch :memory: ".load ./libsealitevfs" "SELECT sealite_unlock_key_file('sealed.db', 'demo.key')" \
    ".open file:sealed.db?vfs=sealite" .dump | sed '1d' >full.shell
cmp full.plain full.shell || fail "the shell's own .dump differs"
done_with "schema and every table byte-identical, $rows lines: sealite, GRDB, Debian's sqlite3 and python3, and sqlite3's own .dump"

step "A wrong key"
refused 77 "key" run sealite sql sealed.db "SELECT count(*) FROM sqlite_schema" --key-file other.key
refused 1 "key" run_bare sqlite3 -batch :memory: ".load ./libsealitevfs" "SELECT sealite_unlock_key_file('sealed.db', 'other.key')"
done_with "a wrong key is refused (exit code 77), by the extension too"

step "One flipped byte"
page=$((($(stat -c %s sealed.db) - 8192) / 4096 / 2))
offset=$((8192 + (page - 1) * 4096 + 1234))
cp sealed.db flipped.db
python3 - flipped.db "$offset" <<'PYTHON'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 1]))
PYTHON
code=0
run sealite verify flipped.db --key-file demo.key >verify.txt 2>&1 || code=$?
cat verify.txt
[ "$code" -eq 65 ] || fail "verify gave exit code $code, not 65"
grep -qw "page $page" verify.txt || fail "verify didn't name page $page"
run sealite verify sealed.db --key-file demo.key
done_with "a flipped bit in page $page was found and the page named (exit code 65); the file without it verifies"

step "Summary"
sealite --version
printf '  %s\n' "${summary[@]}"
keep files sealed.db demo.key
