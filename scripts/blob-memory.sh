#!/bin/sh
# Puts a blob of so many MiB into a database and takes it out again, and fails unless it comes back as it was and neither process
# ever held 64 MiB, or the bound that is given. Usage: blob-memory.sh TOOL MEBIBYTES [BOUND]
set -eu
tool=$1
size=$2
bound=${3:-64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
umask 077
head -c 32 /dev/urandom >blob.key
head -c "${size}M" /dev/urandom >in
"$tool" create blob.db --key-file blob.key >/dev/null

# Runs a command and prints the most memory it held, in KiB.
held() {
    /usr/bin/python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$@"
}
put=$(held "$tool" blob put blob.db big content in --create --key-file blob.key)
get=$(held "$tool" blob get blob.db big content out --key-file blob.key)
cmp in out
echo "blob of $size MiB: put held $((put / 1024)) MiB, get $((get / 1024)) MiB"
[ "$put" -lt $((bound * 1024)) ] && [ "$get" -lt $((bound * 1024)) ] || {
    echo "blob-memory: the bound is $bound MiB" >&2
    exit 1
}
