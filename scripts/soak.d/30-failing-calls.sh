#!/bin/sh
# Lets each fsync(2), link(2) and rename(2) of every command that makes a file fail in its turn, in the release tool, under strace:
# the file is absent or whole, nothing is left behind, the exit code is that of an I/O error, and the source is as it was.
# Usage: 30-failing-calls.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
[ -x "$tool" ] || { make --no-print-directory product NAME=sealite; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/files"
cd "$work/files"
head -c 32 /dev/urandom > key
chmod 600 key
sqlite3 plain.db "CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO t SELECT i, hex(randomblob(60)) FROM n"
"$tool" encrypt plain.db sealed.db --key-file key > /dev/null

fail() {
    echo "failing calls: $1" >&2
    cat "$work/said" >&2
    exit 1
}
total=0
for command in "create new --key-file key" "encrypt plain.db new --key-file key" "decrypt sealed.db new --key-file key --yes" \
    "backup sealed.db new --key-file key" "restore sealed.db new --key-file key" "salvage sealed.db new --key-file key" \
    "header backup sealed.db new"; do
    ls -A > "$work/before"
    for calls in fsync,fdatasync link,linkat rename,renameat,renameat2; do
        number=0
        while :; do
            number=$((number + 1))
            cp sealed.db "$work/source"
            code=0
            # shellcheck disable=SC2086 # a list of words
            strace -f -qq -o "$work/trace" -e trace=$calls -e inject=$calls:error=EIO:when=$number \
                "$tool" $command > "$work/said" 2>&1 || code=$?
            cmp -s sealed.db "$work/source" || fail "$command changed its source, $calls $number"
            if ! grep -q INJECTED "$work/trace"; then
                [ "$code" = 0 ] || fail "$command exits with $code where nothing failed"
                rm -f new new-wal new-shm
                break
            fi
            total=$((total + 1))
            if [ -e new ]; then
                [ "$code" = 0 ] || fail "$command left a file and exits with $code, $calls $number"
                rm -f new new-wal new-shm
            else
                [ "$code" = 74 ] || fail "$command exits with $code, $calls $number"
            fi
            ls -A | cmp -s - "$work/before" || fail "$command left $(ls -A | tr '\n' ' '), $calls $number"
        done
    done
    echo "failing calls: $command: absent or whole each time"
done
[ "$total" -ge 20 ] || fail "only $total calls failed"
