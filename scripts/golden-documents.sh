#!/bin/bash
# Makes the golden document database of one format: documents-<format>.db and documents-<format>.json, which says what is in it.
# Until the first release there are golden files of the newest format only: run this when the format's number is raised, and remove the former files.
#
# With "vectors" the database is upgraded to version vectors when it has its first documents, and is vectors-<format>.db.
#
# Usage: golden-documents.sh TOOL FORMAT FOLDER [vectors]
set -euo pipefail
tool=$(realpath "$1") format=$2 folder=$(realpath "$3") versioning=${4:-trees}
name=documents
[ "$versioning" = trees ] || name=$versioning
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
export HOME=$work
unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_DATA_HOME XDG_CONFIG_HOME CREDENTIALS_DIRECTORY
umask 077
# The key of every golden file: the bytes 0 to 31.
python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(32)))' >key
on() { local command=$1 file=$2; shift 2; "$tool" "$command" "$file" "$@" --key-file key; }
put() { "$tool" doc put "$@" --key-file key >/dev/null; }

"$tool" create golden.db --key-file key >/dev/null
"$tool" collection create golden.db people.staff --key-file key >/dev/null
seq 300 | sed 's/.*/{"_id":"row-&","number":&,"text":"document &","exact":1.50}/' >rows.jsonl
on import golden.db rows.jsonl >/dev/null
on import golden.db rows.jsonl --collection people.staff >/dev/null
[ "$versioning" = trees ] || "$tool" upgrade golden.db --versioning "$versioning" --key-file key >/dev/null
put golden.db long "{\"text\":\"$(seq -s ' ' 3000)\"}"
put golden.db unicode '{"e\u0301":"e and U+0301","\u00e9":"U+00E9","big":123456789012345678901234567890,"null":null,"false":false}'
for number in 3 30 103; do put golden.db "row-$number" "{\"number\":$number,\"text\":\"changed\"}"; done
for number in 5 50 205; do "$tool" doc delete golden.db "row-$number" --key-file key >/dev/null; done
put golden.db row-205 '{"text":"made again over its tombstone"}'
"$tool" doc purge golden.db row-7 --key-file key >/dev/null
seq 20000 >content
put golden.db with-blob '{"text":"has a blob"}'
"$tool" blob put golden.db with-blob file content --type text/plain --key-file key >/dev/null

# A peer, so that trees, or vectors, name a remote: edits on both sides, one of which conflict, and one document that only the peer has.
options=()
[ "$versioning" = trees ] || options=(--versioning "$versioning")
"$tool" create peer.db "${options[@]}" --key-file key >/dev/null
"$tool" serve peer.db --key-file key --anyone --plain --json >served 2>errors &
server=$!
for _ in $(seq 100); do [ -s served ] && break; sleep 0.1; done
url=$(python3 -c 'import json; print(json.loads(open("served").readline())["urls"][0])')
sync() { "$tool" sync golden.db "$url" --key-file key --anonymous --allow-unencrypted "$@" >/dev/null 2>&1; }
sync
put golden.db row-10 '{"text":"changed here"}'
put peer.db row-10 '{"text":"changed at the peer"}'
put peer.db from-peer '{"text":"made at the peer"}'
put peer.db row-11 '{"text":"changed at the peer"}'
sync
put golden.db row-12 '{"text":"not pushed yet"}'
# An edit of a large document that the peer has: the body that it has stays as the base of a delta.
put golden.db long "{\"text\":\"$(seq -s ' ' 3001)\"}"
kill "$server"
wait "$server" || true
"$tool" sql golden.db --key-file key --raw "
    UPDATE documents_1 SET expires = 4102444800000 WHERE id = 'row-20';
    INSERT INTO refusals SELECT 1, 1, id, revision, 'HTTP', 403, 'not allowed', 1700000000000 FROM documents_1 WHERE id = 'row-12';
    PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null

cp golden.db "$folder/$name-$format.db"
python3 - "$tool" "$format" "$url" >"$folder/$name-$format.json" <<'PYTHON'
import hashlib, json, subprocess, sys
tool, version, url = sys.argv[1:]
def lines(*command):
    out = subprocess.run([tool, *command, "--key-file", "key"], check=True, capture_output=True, text=True).stdout
    return [line for line in out.split("\n") if line]
collections = {}
for name in ["_default._default", "people.staff"]:
    collections[name] = {
        "documents": [json.loads(line) for line in lines("doc", "list", "golden.db", "--collection", name, "--by-sequence", "--deleted", "--json")],
        "export": lines("export", "golden.db", "-", "--collection", name),
    }
histories = {id: [json.loads(line) for line in lines("doc", "history", "golden.db", id, "--json")]
    for id in ["long", "row-3", "row-10", "row-11", "row-205", "from-peer"]}
print(json.dumps({
    "format": int(version), "made": "by scripts/golden-documents.sh", "keyHex": bytes(range(32)).hex(), "remote": url,
    "blobSHA1": hashlib.sha1(open("content", "rb").read()).hexdigest(), "collections": collections, "histories": histories,
}, indent=1, ensure_ascii=False))
PYTHON
