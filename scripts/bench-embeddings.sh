#!/bin/bash
# Measures how much of the true ten nearest a search finds among 10,000 vectors that a real model makes of texts, beside as many random
# ones: 200 searches, by cosine, with 100 lists, for each number of lists that are read; and how much faiss finds. The vectors come from
# make-embeddings.py, by PyPI and Debian's mirror. Nothing in make and CI runs it. It takes some minutes; times aren't measured, so that
# any build will do.
# Usage: bench-embeddings.sh [FOLDER_OF_SEALITE [FOLDER]]; with a folder, the vectors are kept in it for the next run
set -euo pipefail
cd "$(dirname "$0")/.."
sealite=$(realpath "${1:-.build/release}")/sealite
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sets=${2:-$work/sets}
mkdir -p "$sets"
[ -s "$sets/clusters.searches" ] || scripts/make-embeddings.py sets 10000 200 "$sets"
sets=$(realpath "$sets")
cd "$work"
head -c 32 /dev/urandom >key
chmod 600 key

# The searches as statements, each with the given arguments after the metric.
statements() {
    python3 - "$@" <<'PYTHON'
import json
import sys
for line in open(sys.argv[1]):
    call = f"APPROX_VECTOR_DISTANCE(vector, '{json.loads(line)['vector']}', 'COSINE', {sys.argv[2]})"
    print(f"SELECT META().id AS id FROM _ ORDER BY {call} LIMIT 10;")
PYTHON
}
recall() {
    python3 - "$@" <<'PYTHON'
import json
import re
import sys
wanted = [json.loads(line)["nearest"] for line in open(sys.argv[1])]
found = re.findall('"id":"([^"]*)"', open(sys.argv[2]).read())
assert len(found) == 10 * len(wanted), len(found)
both = sum(len(set(ids) & set(found[10 * place:10 * place + 10])) for place, ids in enumerate(wanted))
print(f"  {sys.argv[3]:9} {both / len(found):.4f}")
PYTHON
}
for name in glosses clusters; do
    "$sealite" create --quiet "$name.db" --key-file key
    "$sealite" import --quiet "$name.db" "$sets/$name.documents" --id-field id --key-file key
    for encoding in sq8 sq4 none; do
        "$sealite" index create --quiet "$name.db" near --vector vector --dimensions 384 --metric cosine --centroids 100 \
            --encoding $encoding --key-file key
        echo "$name, $encoding: lists and recall@10"
        for lists in 4 8 16 32 "100, TRUE"; do
            statements "$sets/$name.searches" "$lists" | "$sealite" query --json "$name.db" --key-file key >found
            recall "$sets/$name.searches" found "$lists"
        done
        "$sealite" index delete --quiet "$name.db" near --key-file key
    done
done
