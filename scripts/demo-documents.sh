#!/bin/bash
# The demo's second act: public data becomes documents, is read, changed, followed by another process, exported and searched
# for on disk. Ends with a summary; exits 1 at the first thing that isn't as promised.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/demo/stage.sh
trap '[ -z "${follower:-}" ] || kill "$follower" 2>/dev/null || true; rm -rf "$work"' EXIT

models=$PWD/Fixtures/Models/examples
meanings=$PWD/Fixtures/Embeddings/characters.jsonl
key=(--key-file world.key)
use_short_names
cd "$work"
# Debian's releases have different numbers of them.
python3 records.py . >counted.txt
total=$(cat ./*.jsonl | wc -l)
opening "The demo, act 2 of 3: documents" "Half a minute." \
    "It imports $total public records, queries, indexes, changes, follows and exports them, and searches the disk for them."
head -c 32 /dev/urandom >world.key
chmod 600 world.key

step "Public data as JSON lines: ISO codes and Unicode, from Debian's packages"
cat counted.txt
declare -A field=([countries]=alpha_3 [subdivisions]=code [languages]=alpha_3 [characters]=code)

step "Importing it into a sealed database"
run sealite create world.db "${key[@]}"
for name in countries subdivisions languages characters; do
    run sealite import world.db "$name.jsonl" --collection "$name" --id-field "${field[$name]}" "${key[@]}"
done
run sealite collection list world.db "${key[@]}"
[ "$total" -gt 20000 ] || fail "only $total records: this proves little"
done_with "imported $total records into four collections"

# Exports a collection as it was imported: in the order of changes, ids left out.
export_as_imported() {
    sealite export world.db "$2" --collection "$1" --by-sequence --no-ids "${key[@]}" >/dev/null
}
for name in countries subdivisions languages characters; do
    waiting_for export_as_imported "$name" "$name.out"
    cmp "$name.jsonl" "$name.out" || fail "the export of $name isn't what was imported"
done
done_with "the export equals the import, byte for byte"

step "Reading"
run sealite doc get world.db ISL --collection countries "${key[@]}" | tee island.json
grep -qxF "$(cat island.json)" countries.jsonl || fail "the document isn't the record"
shuf -n 1000 --random-source=languages.jsonl characters.jsonl >some.jsonl
python3 -c 'import json, sys; print("\n".join(json.loads(line)["code"] for line in sys.stdin))' <some.jsonl >some.ids
read_some() { xargs sealite doc get world.db --collection characters "${key[@]}" -- <some.ids | cmp - some.jsonl; }
waiting_for read_some ||
    fail "documents read by id aren't the records"
done_with "1000 documents read by id are the records they were made of"

step "Querying"
run sealite query world.db "${key[@]}" \
    'SELECT type, COUNT(*) AS n FROM subdivisions GROUP BY type ORDER BY n DESC, type LIMIT 5'
sealite query world.db "${key[@]}" --csv 'SELECT type, COUNT(*) AS n FROM subdivisions GROUP BY type ORDER BY type' |
    tail -n +2 >counted.csv
python3 - subdivisions.jsonl <<'PYTHON' >expected.csv
import collections
import csv
import json
import sys
types = collections.Counter(json.loads(line)["type"] for line in open(sys.argv[1]))
csv.writer(sys.stdout, lineterminator="\n").writerows(sorted(types.items(), key=lambda item: item[0].encode()))
PYTHON
cmp counted.csv expected.csv || fail "the query counts otherwise than Python does"
done_with "a query counts the $(wc -l <counted.csv) types of subdivisions as Python does"
joined='SELECT s.name FROM countries AS c JOIN subdivisions AS s ON SUBSTR(s.code, 0, 2) = c.alpha_2 WHERE c.alpha_3 = $c'
run sealite query world.db "${key[@]}" --explain "$joined"
run sealite index create world.db subdivisions_by_country --on 'SUBSTR(code, 0, 2)' --collection subdivisions "${key[@]}"
run sealite index create world.db countries_by_alpha_3 --on alpha_3 --collection countries "${key[@]}"
run sealite query world.db "${key[@]}" --explain "$joined" | tee plan.txt
grep -q 'search the index subdivisions_by_country' plan.txt || fail "the join doesn't use its index"
sealite query world.db "${key[@]}" --json --param c=ISL "$joined" |
    grep -o '"name":"[^"]*"' | sort >found.txt
grep '"code":"IS-' subdivisions.jsonl | grep -o '"name":"[^"]*"' | sort >wanted.txt
cmp found.txt wanted.txt && [ -s found.txt ] || fail "the join gives other subdivisions than the data has"
done_with "a join through two indexes finds the $(wc -l <found.txt) subdivisions of Iceland"
run sealite index create world.db character_names --full-text name --collection characters "${key[@]}"
run sealite query world.db "${key[@]}" --param text='arrow* NOT (left* OR right*)' \
    'SELECT HIGHLIGHT(character_names, 0, "[", "]") AS name FROM characters WHERE MATCH(character_names, $text) ORDER BY RANK(character_names) DESC, name LIMIT 5'
sealite query world.db "${key[@]}" --csv "SELECT COUNT(*) AS n FROM characters WHERE MATCH(character_names, 'greek small')" | tail -n +2 >found.txt
grep -E '"name": ?"[^"]*"' characters.jsonl | grep -w GREEK | grep -cw SMALL >wanted.txt || true
cmp found.txt wanted.txt && [ "$(cat found.txt)" -gt 0 ] || fail "the words find $(cat found.txt) characters, not $(cat wanted.txt)"
done_with "a search by words finds the $(cat found.txt) characters that grep finds"

step "Searching by meaning: vectors that a model made of 400 characters' names, and of a text"
cp "$meanings" meanings.jsonl
python3 meanings.py documents meanings.jsonl characters.jsonl >embedded.jsonl
run sealite import world.db embedded.jsonl --collection characters --id-field code "${key[@]}"
run sealite index create world.db character_meanings --vector meaning --dimensions 64 --metric cosine --centroids 16 --probes 16 \
    --collection characters "${key[@]}"
text='animals that live in the sea'
python3 meanings.py parameters meanings.jsonl "$text" >asked.json
by_meaning='SELECT character, name FROM characters ORDER BY APPROX_VECTOR_DISTANCE(meaning, $vector) LIMIT 5'
run sealite query world.db "${key[@]}" --explain --param-file asked.json "$by_meaning" | tee plan.txt
grep -q 'character_meanings' plan.txt || fail "the search doesn't use the index"
printf '  %s\n' "$text:"
run sealite query world.db "${key[@]}" --param-file asked.json "$by_meaning"
sealite query world.db "${key[@]}" --csv --param-file asked.json "$by_meaning" | tail -n +2 | cut -d , -f 2 >found.txt
python3 meanings.py nearest meanings.jsonl characters.jsonl "$text" | cmp - found.txt || fail "other characters are nearer"
! tr ' ' '\n' <<<"$text" | grep -qiwFf - found.txt || fail "a name has a word of the text: this proves nothing"
done_with "\"$text\": $(paste -sd , found.txt | sed 's/,/, /g'), whose names have no word of it"
# Searches files for the vectors: sets needles, found and size.
search_floats() { read -r needles found size < <(waiting_for python3 meanings.py search meanings.jsonl "$@"); }
python3 meanings.py bytes meanings.jsonl >floats.bin
search_floats meanings.jsonl floats.bin
[ "$found" -eq "$needles" ] && [ "$needles" -gt 100000 ] || fail "the search misses $((needles - found)) of $needles needles in clear files"
search_floats world.db*
[ "$found" -eq 0 ] || fail "$found pieces of vectors show on disk"
done_with "of $needles pieces of the vectors, as floats or base64, none shows in $size bytes on disk"

step "The same documents with MongoDB's filters, updates and pipelines"
run sealite mongo find world.db countries '{"name": {"$regex": "^Ice|^Fin"}}' \
    --projection '{"name": 1, "alpha_2": 1, "_id": 0}' --sort '{"name": 1}' "${key[@]}" | tee found.txt
printf '{"alpha_2":"%s","name":"%s"}\n' FI Finland IS Iceland | cmp - found.txt || fail "find gives other countries"
run sealite mongo update world.db languages '{"alpha_2": {"$exists": true}}' '{"$set": {"short": true}}' --many "${key[@]}" |
    tee changed.txt
short=$(grep -c '"alpha_2":' languages.jsonl)
grep -qxF "matched $short documents, changed $short" changed.txt || fail "the update changes other than the $short languages"
[ "$(sealite mongo count world.db languages '{"short": true}' "${key[@]}")" = "$short" ] || fail "the update isn't there"
pipeline='[{"$set": {"country": {"$arrayElemAt": [{"$split": ["$code", "-"]}, 0]}}},
    {"$group": {"_id": "$country", "parts": {"$sum": 1}}}, {"$sort": {"parts": -1, "_id": 1}}, {"$limit": 5},
    {"$lookup": {"from": "countries", "localField": "_id", "foreignField": "alpha_2", "as": "country"}},
    {"$project": {"_id": 0, "name": {"$arrayElemAt": ["$country.name", 0]}, "parts": 1}}]'
run sealite mongo aggregate world.db subdivisions "$pipeline" "${key[@]}" | tee parts.txt
python3 - <<'PYTHON' || fail "the pipeline gives other than Python"
import collections
import json
names = {country["alpha_2"]: country["name"] for country in map(json.loads, open("countries.jsonl"))}
counts = collections.Counter(json.loads(line)["code"].split("-")[0] for line in open("subdivisions.jsonl"))
wanted = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))[:5]
found = [json.loads(line) for line in open("parts.txt")]
assert found == [{"parts": count, "name": names[code]} for code, count in wanted], found
PYTHON
run sealite mongo index create world.db subdivisions '{"type": 1}' "${key[@]}"
run sealite mongo find world.db subdivisions '{"type": "Parish"}' --explain "${key[@]}" | tee plan.txt
grep -qxF 'search 1 range of the index type_1' plan.txt || fail "find doesn't use the index"
found=$(sealite mongo count world.db subdivisions '{"type": "Parish"}' "${key[@]}")
[ "$found" = "$(grep -c '"type":"Parish"' subdivisions.jsonl)" ] || fail "the index finds $found documents"
run sealite mongo index delete world.db subdivisions type_1 "${key[@]}"
done_with "a filter, an update of $short documents, an index and a pipeline with \$lookup do as Python does"

step "Models: a schema, the Swift for it, and what doesn't fit"
cp "$models"/*.json .
run sealite model generate dog.schema.json | tee Dog.swift
grep -qxF 'public struct Dog: Model, Hashable {' Dog.swift || fail "there is no Swift for the schema"
run sealite model apply world.db dog.schema.json "${key[@]}"
for dog in dog.document.json dog-nested.document.json; do
    run sealite mongo insert world.db Dog "$(tr -d '\n' <"$dog")" "${key[@]}" >/dev/null
    sealite doc get world.db '$oid:616f44305a205add93ff1081' --collection Dog "${key[@]}" | python3 -c '
import json
import sys
stored, given = json.load(sys.stdin), json.load(open(sys.argv[1]))
del given["_id"]
assert stored == given' "$dog" || fail "the stored document isn't $dog"
    run sealite doc purge world.db '$oid:616f44305a205add93ff1081' --collection Dog "${key[@]}" >/dev/null
done
refused 1 "'age' isn't of type int (bsonType)" \
    run sealite doc put world.db '$oid:616f44305a205add93ff1082' '{"name": "Rex", "age": "old"}' --collection Dog "${key[@]}"
done_with "a Dog is generated and stored as its schema says, and an age that is text is refused by name"

step "Models: Person of version 1 becomes Person of version 2"
run PersonMigration world.db world.key 1 Ada Lovelace 36
run PersonMigration world.db world.key 1 Alan Turing 41
run sealite mongo find world.db Person '{}' --projection '{"_id": 0}' --sort '{"age": 1}' "${key[@]}"
run PersonMigration world.db world.key 2 | tee persons.txt
printf '%s\n' 'Ada Lovelace, 36' 'Alan Turing, 41' | cmp - persons.txt || fail "the migrated persons are others"
run sealite mongo find world.db Person '{}' --projection '{"_id": 0}' --sort '{"age": 1}' "${key[@]}" | tee found.txt
printf '{"age":%s,"fullName":"%s"}\n' 36 'Ada Lovelace' 41 'Alan Turing' | cmp - found.txt ||
    fail "the documents have other members"
run sealite model list world.db "${key[@]}"
run sealite model check world.db "${key[@]}" || fail "a document doesn't fit its schema"
done_with "a Swift program migrates persons from firstName and lastName to fullName"

step "A live query, while another process changes the records"
watched="SELECT alpha_2 AS id, name FROM countries WHERE alpha_2 IN ['FI', 'IS'] ORDER BY name"
printf '$ sealite query world.db --live "%s" &\n' "$watched"
exec {live}< <(exec sealite query world.db --live "$watched" "${key[@]}")
follower=$!
# Waits for the next line of the live query, and says whether it is the one that is due.
await_live() {
    IFS= read -r -t 60 line <&"$live" || fail "the live query told nothing, where this was due: $1"
    printf '%s\n' "$line"
    [ "$line" = "$1" ] || fail "the live query told another thing than: $1"
}
for line in '  id  name' '  --  -------' '  FI  Finland' '  IS  Iceland'; do await_live "$line"; done
run sealite query world.db "${key[@]}" "UPDATE countries SET visited = true WHERE alpha_2 = 'SE'"
run sealite query world.db "${key[@]}" "UPDATE countries SET name = 'Ísland' WHERE alpha_2 = 'IS'"
await_live '~ IS  Ísland'
run sealite doc delete world.db FIN --collection countries "${key[@]}"
await_live '- FI  Finland'
for country in FIN ISL; do
    grep "\"alpha_3\":\"$country\"" countries.jsonl |
        run sealite doc put world.db "$country" --collection countries "${key[@]}"
    if [ "$country" = FIN ]; then await_live '+ FI  Finland'; else await_live '~ IS  Iceland'; fi
done
kill -TERM "$follower"
wait "$follower" || [ $? -eq 143 ] || fail "the live query ended badly"
follower=
! IFS= read -r line <&"$live" || fail "the live query told more than was due: $line"
exec {live}<&-
done_with "a live query told of each change of its result by other processes, and of nothing else"

# Waits until the follower has told so many changes. A document that changes twice before it looks is told once, with its last.
await_followed() {
    for _ in $(seq 600); do
        [ "$(wc -l <followed.jsonl)" -lt "$1" ] || return 0
        sleep 0.1
    done
    return 0
}

step "Changing, while another process follows"
before=$(wc -l <subdivisions.jsonl)
printf '$ sealite changes world.db --follow --since %s --collection subdivisions &\n' "$before"
sealite changes world.db --follow --since "$before" --collection subdivisions "${key[@]}" >followed.jsonl &
follower=$!
# 3000 records get another name, all in one go; one goes away, and comes back.
head -n 3000 subdivisions.jsonl | sed 's/"name":"/&Neu-/' >changed.jsonl
run sealite import world.db changed.jsonl --collection subdivisions --id-field code --atomic "${key[@]}"
waiting_for await_followed 3000
run sealite doc delete world.db IS-1 --collection subdivisions "${key[@]}"
await_followed 3001
grep '"code":"IS-1"' subdivisions.jsonl | run sealite doc put world.db IS-1 --collection subdivisions "${key[@]}"
await_followed 3002
# A shell starts what runs in its background deaf to SIGINT.
kill -TERM "$follower"
wait "$follower" || [ $? -eq 143 ] || fail "the follower ended badly"
follower=
tail -n 2 followed.jsonl
python3 - "$before" followed.jsonl <<'PYTHON' || fail "the follower lost a change or told one twice"
import json
import sys
changes = [json.loads(line) for line in open(sys.argv[2])]
first = int(sys.argv[1])
assert [change["sequence"] for change in changes] == list(range(first + 1, first + 3003))
assert [change["id"] for change in changes[-2:]] == ["IS-1", "IS-1"] and changes[-2]["deleted"]
PYTHON
done_with "the follower heard of 3002 changes by other processes, each once and in order"
run sealite doc history world.db IS-1 --collection subdivisions "${key[@]}"

{ tail -n +3001 subdivisions.jsonl; cat changed.jsonl; } | grep -v '"code":"IS-1"' >expected.jsonl
grep '"code":"IS-1"' subdivisions.jsonl >>expected.jsonl
waiting_for export_as_imported subdivisions changed.out
cmp expected.jsonl changed.out || fail "the export isn't the import with the changes"
done_with "the export after the changes is the import with the same changes"

step "What Debian's sqlite3 sees through the extension, and what the disk shows"
run_bare sqlite3 -batch :memory: ".load ./libsealitevfs" \
    "SELECT sealite_unlock_key_file('world.db', 'world.key')" ".open file:world.db?vfs=sealite" \
    "SELECT sum(n) FROM (SELECT count(*) AS n FROM documents_2 UNION ALL SELECT count(*) FROM documents_3
        UNION ALL SELECT count(*) FROM documents_4 UNION ALL SELECT count(*) FROM documents_5)" | tail -n 1 >rows.txt
[ "$(cat rows.txt)" = "$total" ] || fail "sqlite3 counts $(cat rows.txt) rows, not $total"
for marker in 'Republic of Iceland' 'LATIN SMALL LETTER' 'official_name' 'Neu-'; do
    grep -qF "$marker" ./*.jsonl || fail "\"$marker\" isn't in the data: this proves nothing"
    ! grep -qaF "$marker" world.db* || fail "\"$marker\" shows on disk"
done
done_with "sqlite3 counts $total rows in the file's tables; no name of them shows in $(stat -c %s world.db) bytes on disk"

step "Summary"
printf '  %s\n' "${summary[@]}"
keep documents world.db world.key
