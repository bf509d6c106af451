#!/bin/bash
# Makes the golden database of the indexes of one format: indexes-<format>.db, with an index of each kind, and indexes-<format>.json, which says what
# the catalogue and the tables of the indexes hold. Until the first release there are golden files of the newest format only: run this when the format's number
# is raised or a kind is added, and remove the former files.
#
# Usage: golden-indexes.sh TOOL FORMAT FOLDER
set -euo pipefail
tool=$(realpath "$1") format=$2 folder=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work
unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_DATA_HOME XDG_CONFIG_HOME CREDENTIALS_DIRECTORY
umask 077
# The key of every golden file: the bytes 0 to 31.
python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(32)))' >key

"$tool" create golden.db --key-file key >/dev/null
python3 - >rows.jsonl <<'PYTHON'
import json
for n in range(40):
    tags = [f"tag {n % 5}", n, n / 4, None, n % 2 == 0, [n], {"n": n}]
    contacts = [{"type": "home" if n % 3 else "Work", "phones": [{"code": n, "label": "é"}, {"code": -n}]}, {"phones": {"a": 1, "b": "x"}}]
    body = {"_id": f"row-{n}", "number": n, "name": f"Name {n % 7}", "tags": tags, "contacts": contacts}
    if n % 10 == 3: body["tags"] = "no array"
    if n % 10 == 4: body["tags"] = {"x": "tag 1", "y": None}
    if n % 10 == 5: del body["tags"]
    if n == 7: body["tags"] = ["t"] * 300
    print(json.dumps(body, ensure_ascii=False))
PYTHON
index() { "$tool" index create golden.db "$@" --key-file key >/dev/null; }
index 'a value' --on number --on name
"$tool" import golden.db rows.jsonl --key-file key >/dev/null
index 'a part' --on 'name COLLATE NOCASE' --where 'number > 10'
index elements --array tags
index nested --array 'contacts[].phones' --on code --on 'UPPER(label)'
"$tool" doc delete golden.db row-2 --key-file key >/dev/null
"$tool" doc purge golden.db row-9 --key-file key >/dev/null
"$tool" doc put golden.db row-1 '{"number":1.5,"tags":["tag 1"]}' --key-file key >/dev/null
"$tool" sql golden.db --key-file key --raw "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null

cp golden.db "$folder/indexes-$format.db"
python3 - "$tool" "$format" >"$folder/indexes-$format.json" <<'PYTHON'
import json, subprocess, sys
tool, version = sys.argv[1:]
def rows(sql):
    command = [tool, "sql", "golden.db", "--key-file", "key", "--json", sql]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out)
catalogue = rows("SELECT number, name, kind, definition, versions FROM indexes ORDER BY number")
tables = {}
for row in catalogue:
    name = ("elements_" if row["kind"] == "array" else "keys_") + str(row["number"])
    columns = [column["name"] for column in rows(f"SELECT name FROM pragma_table_info('{name}')")]
    text = " || ' ' || ".join(c if c == "document" else f"hex({c})" for c in columns)
    tables[name] = [row["entry"] for row in rows(f"SELECT {text} AS entry FROM {name}")]
print(json.dumps({"format": int(version), "made": "by scripts/golden-indexes.sh", "keyHex": bytes(range(32)).hex(),
    "catalogue": catalogue, "tables": tables}, indent=1, ensure_ascii=False))
PYTHON
