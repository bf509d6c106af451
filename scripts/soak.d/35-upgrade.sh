#!/bin/sh
# Upgrades a database of 100,000 documents to version vectors: synced before with a peer that keeps trees, killed at random moments,
# in the memory that a database of 100 documents takes, and synced after with that peer, which is told what to upgrade, loses
# nothing, and goes on once it is upgraded, too. Usage: 35-upgrade.sh [TOOL [DOCUMENTS [KILLS]]]
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || make --no-print-directory product NAME=sealite
tool=$(readlink -f "${1:-.build/release/sealite}")
count=${2:-100000}
kills=${3:-30}
work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
cd "$work"
umask 077
head -c 32 /dev/urandom >key
run() { "$tool" "$@" --key-file key; }
documents() { seq -f '{"_id":"%.0f","name":"somebody","v":1}' "$1"; }

# Runs a command and prints the most memory it held, in KiB.
held() {
    /usr/bin/python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$tool" "$@" --key-file key
}

# Serves the peer, and sets url.
serve() {
    "$tool" serve peer.db --plain --anyone --name peer --key-file key >served 2>served.errors &
    server=$!
    until url=$(grep -o 'ws://[^ ]*/peer' served | head -1) && [ -n "$url" ]; do
        kill -0 "$server"
        sleep 0.1
    done
}
stop() {
    kill -TERM "$server"
    wait "$server" || true
    server=
}

for name in big.db small.db peer.db; do run create "$name" >/dev/null; done
documents "$count" | run import big.db - >/dev/null
documents 100 | run import small.db - >/dev/null
serve
run sync big.db "$url" >/dev/null
stop

# How long one takes that isn't killed.
cp big.db try.db
begin=$(date +%s%N)
run upgrade try.db --versioning vectors >/dev/null
took=$((($(date +%s%N) - begin) / 1000))
round=0
seed=${SEALITE_SEED:-$(od -An -N7 -tu8 /dev/urandom | tr -d ' ')}
echo "upgrade: SEALITE_SEED=$seed repeats the moments"
while [ "$round" -lt "$kills" ]; do
    round=$((round + 1))
    rm -f try.db*
    cp big.db try.db
    delay=$(/usr/bin/python3 -c 'import random, sys; print("%.6f" % (random.Random(int(sys.argv[2])).uniform(0.1, 1.3) * int(sys.argv[1]) / 1e6))' \
        "$took" $((seed + round)))
    timeout -s KILL "$delay" "$tool" upgrade try.db --versioning vectors --key-file key >/dev/null 2>&1 || true
    case $(run info try.db) in
    *"version vectors"*) vectors=$((${vectors:-0} + 1)) ;;
    *) trees=$((${trees:-0} + 1)) ;;
    esac
done
run verify try.db >/dev/null
[ "$(run doc get try.db "$count")" = '{"name":"somebody","v":1}' ]
small=$(held upgrade small.db --versioning vectors)
large=$(held upgrade big.db --versioning vectors)
echo "upgrade: $kills kills left ${trees:-0} databases of trees and ${vectors:-0} of vectors; it held $((small / 1024)) MiB with 100 documents, $((large / 1024)) MiB with $count"
[ "$large" -lt $((small + 8192)) ] || {
    echo "upgrade: the memory grows with the documents" >&2
    exit 1
}
run doc put big.db 1 '{"v":2}' >/dev/null
serve
if run sync big.db "$url" --attempts 1 >refused 2>&1; then
    echo "upgrade: the peer with trees was synced with" >&2
    exit 1
fi
grep -qi 'version vectors' refused
stop
[ "$(run doc get peer.db 1)" = '{"name":"somebody","v":1}' ]
run upgrade peer.db --versioning vectors >/dev/null
serve
run sync big.db "$url" >/dev/null
stop
[ "$(run doc get peer.db 1)" = '{"v":2}' ]
run verify peer.db >/dev/null
echo "upgrade: the peer with trees was told to upgrade, and synced with once it was"
