#!/bin/sh
# What commands say on a file system that is really mounted read-only, in a mount namespace of their own: reading works, and what
# would write ends with the exit code of a missing permission. Usage: 40-read-only.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
[ -x "$tool" ] || make --no-print-directory product NAME=sealite
if [ -z "${SEALITE_OWN_MOUNTS:-}" ]; then
    SEALITE_OWN_MOUNTS=1 exec unshare --user --map-root-user --mount "$0" "$tool"
fi
place=$(mktemp -d)
trap 'cd /; umount "$place"; rmdir "$place"' EXIT
mount -t tmpfs none "$place"
cd "$place"
head -c 32 /dev/urandom > key
chmod 600 key
"$tool" create a.db --key-file key > /dev/null
"$tool" sql a.db --key-file key "CREATE TABLE t(a); INSERT INTO t VALUES(1)"
cd /
mount -o remount,ro "$place"
cd "$place"

expect() { # EXIT-CODE COMMAND...
    wanted=$1
    shift
    status=0
    said=$("$tool" "$@" --key-file key 2>&1) || status=$?
    [ "$status" = "$wanted" ] || {
        echo "read-only: '$*' ended with $status, not $wanted: $said" >&2
        exit 1
    }
    count=$((${count:-0} + 1))
}
expect 0 sql a.db "SELECT * FROM t"
expect 0 verify a.db
expect 78 sql a.db "INSERT INTO t VALUES(2)"
expect 78 create new.db
expect 78 key rotate a.db
expect 78 backup a.db copy.db
[ "$(ls)" = "$(printf 'a.db\nkey')" ]
echo "read-only: $count commands do what they may, and say why not"
