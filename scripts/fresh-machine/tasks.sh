#!/bin/bash
# The ten tasks of a newcomer, each with one typical mistake, whose error has to name the remedy. Uses the installed tool and extension,
# or those of a build, in an empty folder that it removes; ends with exit code 0, or at the first thing that isn't as promised.
#
# Usage: tasks.sh [FOLDER [EXTENSION]]
#   FOLDER     where a build put sealite; the program PersonMigration there, if any, migrates by a function. Default: what is on the PATH
#   EXTENSION  libsealitevfs.so. Default: that of FOLDER, or that of `make install`
# Without gnome-keyring-daemon and dbus-run-session (`make setup-test` gets both) the credentials are in a vault instead of a keyring.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
background=()
end() {
    touch "$work/stop"
    for process in "${background[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${background[@]}"; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$work/bin"
# Debian's python3: others may be built without extensions of SQLite.
ln -s /usr/bin/python3 "$work/bin/"
PATH=$work/bin:$PATH
if [ $# -gt 0 ]; then
    folder=$(readlink -f "$1")
    extension=$(readlink -f "${2:-$folder/libsealitevfs.so}")
    ln -s "$folder/sealite" "$work/bin/"
else
    folder=$project/.build/release
    extension=$(dirname "$(dirname "$(command -v sealite)")")/lib/libsealitevfs.so
fi
fail() { printf '\ntasks: %s\n' "$*" >&2; exit 1; }
command -v sealite >/dev/null || fail "no sealite on the PATH: 'sudo make install', or name the folder of a build"
[ -e "$extension" ] || fail "no extension: there is no $extension"

# A user of their own, without settings, whom nothing asks.
export HOME=$work/home
mkdir "$HOME"
for name in $(compgen -e | grep -E '^(SEALITE|XDG|DBUS|CREDENTIALS)' || true); do unset "$name"; done
cd "$work"
exec </dev/null

number=0 title=""
task() {
    [ -z "$title" ] || printf '  (%d s)\n' $((SECONDS - start))
    title=$1 start=$SECONDS
    printf '\n%d. %s\n' $((number += 1)) "$title"
}
source "$project/scripts/demo/show.sh"
# Runs a command that a newcomer types; its output is shown, and stays in the file "said".
run() {
    show "$@"
    local code=0
    "$@" >said 2>&1 || code=$?
    [ "$code" -eq 0 ] || { cat said; fail "$title: exit code $code"; }
    sed 's/^/  /' said
}
# The last command said this, a regular expression.
says() { grep -qE -- "$1" said || fail "$title: the last command doesn't say: $1"; }
# mistake REMEDY COMMAND…: the command fails, and its error matches the regular expression.
mistake() {
    local remedy=$1
    shift
    show "$@"
    if "$@" >said 2>&1; then cat said; fail "$title: the mistake isn't refused"; fi
    sed 's/^/  /' said
    grep -qE -- "$remedy" said || fail "$title: the error doesn't name its remedy: $remedy"
}
eventually() {
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}

task "Encrypt a database"
python3 - <<'PYTHON'
import sqlite3
with sqlite3.connect("plain.db") as database:
    database.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
    database.executemany("INSERT INTO note(text) VALUES (?)", [(f"a note for the {n}th day",) for n in range(1000)])
PYTHON
run sealite keygen -o notes.key
mistake 'sealite encrypt' sealite sql plain.db 'SELECT count(*) FROM note' --key-file notes.key
run sealite encrypt plain.db notes.db --key-file notes.key
run sealite sql notes.db 'SELECT count(*) AS n FROM note' --key-file notes.key
says '^ *1000$'
! grep -qa 'a note for' notes.db || fail "the sealed file shows its content"

task "Open it from Python"
cat >open.py <<'PYTHON'
import sqlite3, sys
extension, key = sys.argv[1:]
host = sqlite3.connect(":memory:")
host.enable_load_extension(True)
host.load_extension(extension)
if key:
    host.execute("SELECT sealite_unlock_key_file('notes.db', ?)", (key,))
try:
    sealed = sqlite3.connect("file:notes.db?vfs=sealite", uri=True)
    print(sealed.execute("SELECT count(*) FROM note").fetchone()[0])
except sqlite3.Error as error:
    sys.exit(f"{error}: {host.execute('SELECT sealite_failure()').fetchone()[0]}")
PYTHON
mistake 'sealite_unlock' python3 open.py "$extension" ""
run python3 open.py "$extension" notes.key
says '^1000$'

task "Rotate the keys without a prompt"
run sealite key add notes.db --key-file notes.key --new-recovery-key-file notes.recovery
mistake '--keep-recovery [0-9a-f]+' sealite key rotate notes.db --key-file notes.key
# As the error says.
fingerprint=$(grep -oE -- '--keep-recovery [0-9a-f]+' said | head -n 1 | cut -d ' ' -f 2)
run sealite key rotate notes.db --key-file notes.key --keep-recovery "$fingerprint"
says 'epoch 2'
run sealite sql notes.db 'SELECT count(*) AS n FROM note' --recovery-key-file notes.recovery
says '^ *1000$'

task "Import documents, index them, explain a query"
export SEALITE_KEY_FILE=$PWD/notes.key
seq 3000 | awk '{ printf "{\"code\":\"P%d\",\"name\":\"place %d\",\"country\":\"C%d\",\"size\":%d}\n", $1, $1, $1 % 50, $1 * 7 % 1000 }' >places.jsonl
run sealite create world.db
run sealite import world.db places.jsonl --collection places --id-field code
says '3,?000 documents'
mistake 'sealite collection list|"places"' sealite query world.db 'SELECT name FROM place'
run sealite query world.db --explain 'SELECT name FROM places WHERE country = "C7"'
run sealite index create world.db by_country --on country --collection places
run sealite query world.db --explain 'SELECT name FROM places WHERE country = "C7"'
says 'by_country'
run sealite query world.db --csv 'SELECT COUNT(*) AS n FROM places WHERE country = "C7"'
says '^60$'

task "Search full text"
mistake '--full-text' sealite query world.db "SELECT name FROM places WHERE MATCH(words, 'place')"
run sealite index create world.db words --full-text name --collection places
run sealite query world.db --csv "SELECT META().id AS id FROM places WHERE MATCH(words, '1234')"
says '^P1234$'

task "Follow a query live"
mistake 'SELECT' sealite query world.db --live 'UPDATE places SET size = 1 WHERE code = "P1"'
show sealite query world.db --live "SELECT META().id AS id, size FROM places WHERE META().id = 'P1'"
sealite query world.db --live "SELECT META().id AS id, size FROM places WHERE META().id = 'P1'" >live 2>live.errors &
background+=($!)
eventually grep -q P1 live || fail "the live query printed nothing: $(cat live.errors)"
run sealite query world.db "UPDATE places SET size = 5000 WHERE META().id = 'P1'"
eventually grep -q '~.*5000' live || fail "the live query doesn't tell of the change: $(cat live live.errors)"
sed 's/^/  /' live

task "Keep a password in the keyring, and sync"
store=()
start_keyring() {
    local programs=$project/.build/programs/usr/bin
    PATH=$PATH:$programs
    command -v gnome-keyring-daemon >/dev/null && command -v dbus-daemon >/dev/null || return 1
    mkdir -m 700 "$work/run"
    export XDG_RUNTIME_DIR=$work/run
    dbus-daemon --session --nofork --print-address=3 3>bus.address 2>bus.errors &
    background+=($!)
    eventually test -s bus.address || fail "no session bus: $(cat bus.errors)"
    DBUS_SESSION_BUS_ADDRESS=$(cat bus.address)
    export DBUS_SESSION_BUS_ADDRESS
    show gnome-keyring-daemon --unlock --components=secrets
    printf 'login passphrase' | gnome-keyring-daemon --unlock --components=secrets --foreground >keyring.said 2>&1 &
    background+=($!)
}
if start_keyring; then
    # It comes to the bus by and by.
    eventually sealite credential list >/dev/null 2>&1 || { sealite credential list; fail "the keyring doesn't answer: $(cat keyring.said)"; }
else
    echo "  (no gnome-keyring-daemon or no dbus-daemon here: a vault)"
    run sealite keygen -o vault.key
    store=(--vault "$work/notes.vault" --vault-key-file vault.key)
fi
echo 'open sesame' >ana.password
chmod 600 ana.password
show sealite serve world.db --port 0 --set-password ana --password-file ana.password "${store[@]}"
sealite serve world.db --port 0 --set-password ana --password-file ana.password "${store[@]}" >served 2>served.errors &
background+=($!)
eventually grep -q pin served || fail "the server doesn't listen: $(cat served.errors)"
url=$(sed -n 's/^\(wss:[^ ]*\).*/\1/p' served | head -n 1)
pin=$(sed -n 's/^pin //p' served)
run sealite credential set "$url" --user ana --password-file ana.password "${store[@]}"
mistake '--create' sealite sync laptop.db "$url" --pin "$pin" --collection places "${store[@]}"
run sealite sync laptop.db "$url" --create --pin "$pin" --collection places "${store[@]}"
says 'pulled 3,?000'

task "Give documents a schema, and migrate them"
schema() { printf '{"title":"pet","type":"object","properties":{"_id":{"bsonType":"objectId"},"name":{"bsonType":"string"},%s},"required":["_id","name"]}\n' "$1"; }
schema '"breed":{"bsonType":"string"}' >pet.schema.json
run sealite model apply world.db pet.schema.json
run sealite mongo insert world.db pet '{"name": "Jasper", "breed": "terrier"}'
schema '"race":{"bsonType":"string"}' >pet2.schema.json
mistake '--rename' sealite model migrate world.db pet2.schema.json
run sealite model migrate world.db pet2.schema.json --rename breed=race
run sealite mongo find world.db pet '{"race": "terrier"}' --projection '{"_id": 0}'
says 'Jasper'
if [ -x "$folder/PersonMigration" ]; then
    run sealite create persons.db
    for version in 1 2; do
        if [ $version = 1 ]; then arguments=(Ada Lovelace 36); else arguments=(); fi
        run "$folder/PersonMigration" persons.db notes.key $version "${arguments[@]}"
    done
    says '^Ada Lovelace, 36$'
fi

task "Back up under writing, and restore"
write() { for n in $(seq 10000); do [ ! -e stop ] && sealite doc put world.db "late-$n" "{\"n\":$n}" >/dev/null || break; done; [ -e stop ]; }
has_written() { sealite doc get world.db late-1 >/dev/null 2>&1; }
echo "(meanwhile, in another shell, 'sealite doc put world.db' again and again)"
write &
writer=$!
background+=("$writer")
eventually has_written || fail "the writer doesn't write"
run sealite backup world.db monday.db
touch stop
wait "$writer" || fail "a writer failed during the backup"
run sealite verify monday.db
mistake 'another name' sealite restore monday.db world.db
run sealite restore monday.db restored.db
run sealite query restored.db --csv 'SELECT COUNT(*) AS n FROM places'
says '^3000$'

task "Update and aggregate as with MongoDB"
mistake '\$set' sealite mongo update world.db places '{"country": "C7"}' '{"visited": true}' --many
run sealite mongo update world.db places '{"country": "C7"}' '{"$set": {"visited": true}}' --many
says 'matched 60 documents, changed 60'
run sealite mongo aggregate world.db places \
    '[{"$match": {"visited": true}}, {"$group": {"_id": "$country", "places": {"$sum": 1}, "largest": {"$max": "$size"}}}]'
says '"places":60'
printf '  (%d s)\n\ntasks: ten tasks done, and ten mistakes refused with their remedies\n' $((SECONDS - start))
