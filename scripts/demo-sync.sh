#!/bin/bash
# The demo's third act: two sealed databases sync over TLS, with a password, a session and a client certificate from the
# credential store. Conflicts are made and resolved, and keys rotated while both sides write and sync. Ends with a summary;
# exits 1 at the first thing that isn't as promised.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
source scripts/demo/stage.sh
processes=()
end_all() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${processes[@]}"; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap end_all EXIT

# A home of its own: nothing here asks a desktop's keyring, or finds another's settings.
export HOME=$work/home
mkdir "$HOME"
unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_DATA_HOME XDG_CONFIG_HOME CREDENTIALS_DIRECTORY
use_short_names
cd "$work"
umask 077
opening "The demo, act 3 of 3: sync" "A minute." \
    "Two sealed databases sync over TLS with a password, a session and a client certificate, while their keys are rotated."
for name in office laptop next-office next-laptop office-vault laptop-vault; do head -c 32 /dev/urandom >"$name.key"; done
office=(--vault office.vault --vault-key-file office-vault.key)
laptop=(--vault laptop.vault --vault-key-file laptop-vault.key)

# Waits until a command succeeds, a minute at most.
eventually() {
    for _ in $(seq 600); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}
# Ends a process in order, and gives its exit code.
end() { kill -TERM "$1" 2>/dev/null || true; local status=0; wait "$1" || status=$?; return "$status"; }
value() { python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())[sys.argv[2]])' "$1" "$2"; }
put() { sealite doc put "$1.db" "$2" "$3" --key-file "$1.key" >/dev/null; }

# `sealite serve` in the background: sets server, url and pin.
serve() {
    printf '$ sealite serve office.db --key-file office.key --identity office %s &\n' "$*"
    : >served
    sealite serve office.db --key-file office.key --identity office --json "$@" "${office[@]}" >served 2>server.errors &
    server=$!
    processes+=("$server")
    eventually test -s served || fail "the server doesn't listen: $(cat server.errors)"
    url=$(python3 -c 'import json; print(json.loads(open("served").readline())["urls"][0])')
    pin=$(value served pin)
}
sync() { run sealite sync laptop.db "$url" --key-file laptop.key "$@" "${laptop[@]}"; }
# Both databases hold the same documents at the same revisions.
equal() {
    for side in office laptop; do
        sealite doc list "$side.db" --key-file "$side.key" | cut -f 1,2 | sort >"$side.list"
        sealite export "$side.db" - --key-file "$side.key" 2>"$side.warnings" | sort >"$side.export"
    done
    cmp -s office.list laptop.list && cmp -s office.export laptop.export
}
require_equal() {
    waiting_for equal || fail "the two databases differ: $(diff office.list laptop.list | head -n 5)"
    [ "$(wc -l <office.list)" -eq "$1" ] || fail "there are $(wc -l <office.list) documents, not $1"
}

step "Two sealed databases, a certificate authority, and what each side keeps in its vault"
for side in office laptop; do
    run sealite create "$side.db" --key-file "$side.key"
    seq 1500 | sed "s/.*/{\"_id\":\"$side-&\",\"text\":\"written at the $side, number &\"}/" >"$side.jsonl"
    run sealite import "$side.db" "$side.jsonl" --key-file "$side.key"
    head -c 300000 /dev/urandom >"$side.bin"
    put "$side" "$side-picture" '{}'
    run sealite blob put "$side.db" "$side-picture" image "$side.bin" --key-file "$side.key"
done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=Demo \
    2>/dev/null
# A certificate of the authority: its name, and what it is for.
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key.pem" -out "$1.csr" -subj "/CN=$1" 2>/dev/null
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out "$1.pem" \
        -extfile <(printf '%s\n' "$2") 2>/dev/null
}
certificate server 'subjectAltName=IP:127.0.0.1'
certificate ana 'extendedKeyUsage=clientAuth'
python3 -c 'import secrets; print(secrets.token_urlsafe(24))' >password
id=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["serveID"])' < <(sealite info office.db --key-file office.key --json))
run sealite credential set office --certificate server.pem --private-key server.key.pem "${office[@]}"
run sealite credential set "sealite-serve:$id" --user ana --password-file password "${office[@]}"
done_with "2 × 1501 documents in two sealed databases; the server's password and certificate are in its vault"

step "With a password: Basic, the server known by its public key"
serve --user ana
port=${url##*:}
port=${port%%/*}
refused 77 "Login required" sync --pin "$pin" --anonymous
run sealite credential set "$url" --user ana --password-file password "${laptop[@]}"
sync --pin "$pin"
require_equal 3002
for side in office laptop; do
    other=$([ "$side" = office ] && echo laptop || echo office)
    sealite blob get "$other.db" "$side-picture" image got.bin --key-file "$other.key" >/dev/null
    cmp -s "$side.bin" got.bin || fail "the picture of the $side isn't what it was"
    rm got.bin
done
done_with "Basic: 1501 documents went each way over TLS, 300 KB attachments among them; without a password nobody comes in"

step "With a session: the same documents are changed on both sides, and conflict"
change_both() {
    for number in $(seq 40); do
        put office "office-$number" "{\"text\":\"the office says $number\"}" || return 1
        put laptop "office-$number" "{\"text\":\"the laptop says $number\"}" || return 1
        [ $((number % 2)) -eq 0 ] || put laptop "office-$number" "{\"text\":\"the laptop insists on $number\"}" || return 1
    done
}
waiting_for change_both
sealite doc delete laptop.db laptop-1 laptop-2 --key-file laptop.key >/dev/null
run sealite login "$url" --user ana --ca ca.pem "${laptop[@]}"
run sealite credential remove "$url" --kind password "${laptop[@]}"
# Forty lines alike say no more than two.
sync --ca ca.pem 2>&1 | awk '
    /^conflict / { if ((count += 1) <= 2) print; next }
    count > 2 { printf "(and %d more conflicts)\n", count - 2; count = 0 }
    { print }'
require_equal 3000
insisting=$(grep -c 'the laptop insists' office.export || true)
[ "$insisting" -eq 20 ] || fail "$insisting of 20 conflicts went to who changed more"
[ "$(grep -c ' says ' office.export)" -eq 20 ] || fail "of the other conflicts one is lost"
done_with "session: had from the listener's own POST /office/_session; 2 deletions, and 40 conflicts resolved alike on both sides:
      20 for the laptop, which had changed its document twice, and 20 between equal numbers of changes for the higher revision"
end "$server" || fail "the server ended with $?"

step "With a client certificate, which only an issuer's server accepts"
serve --client-ca ca.pem --port "$port"
run sealite credential remove "$url" --kind session "${laptop[@]}"
refused 77 "certificate" sync --ca ca.pem --anonymous
run sealite credential set "$url" --certificate ana.pem --private-key ana.key.pem "${laptop[@]}"
put laptop with-certificate '{"text":"over mutual TLS"}'
sync --ca ca.pem
require_equal 3001
done_with "client certificate: without it nobody comes in, with it the sync goes through"

step "Rotating the keys of both databases while both sides write, and a continuous sync runs"
printf '$ sealite sync laptop.db %s --continuous --ca ca.pem &\n' "$url"
sealite sync laptop.db "$url" --continuous --ca ca.pem --json --key-file laptop.key "${laptop[@]}" >synced 2>errors &
client=$!
processes+=("$client")
eventually grep -q '"idle"' synced || fail "the continuous sync doesn't come to rest: $(cat errors)"
refused 75 "another replicator" sync --ca ca.pem
# The keys in the files stay what they are until the rotation has ended: the writers go on with theirs.
write() { for number in $(seq 60); do put "$1" "$1-late-$number" "{\"text\":\"late $number\"}" || return 1; done; }
write office &
first=$!
write laptop &
second=$!
processes+=("$first" "$second")
for side in office laptop; do run sealite key rotate "$side.db" --key-file "$side.key"; done
await_job "$first" || fail "a writer at the office failed"
await_job "$second" || fail "a writer at the laptop failed"
waiting_for eventually equal || fail "the databases don't meet: $(diff office.list laptop.list | head -n 5)"
require_equal 3121
# At work a signal ends it with 143: it may still be writing down what the other side has.
resting() { tail -n 1 synced | grep -q '"idle"'; }
eventually resting || fail "the continuous sync doesn't come to rest again: $(cat errors)"
end "$client" || fail "the continuous sync ended with $?: $(cat errors)"
end "$server" || fail "the server ended with $?"
for side in office laptop; do
    run sealite info "$side.db" --key-file "$side.key" | grep -E '^epoch +2$' || fail "the keys of $side.db weren't rotated"
    run sealite verify "$side.db" --key-file "$side.key" | tail -n 1
done
done_with "keys of both databases rotated meanwhile; 120 documents written during that arrived; nothing is lost"
for process in "${processes[@]}"; do ! kill -0 "$process" 2>/dev/null || fail "process $process is left"; done
for file in served server.errors synced errors; do
    ! grep -qF -f password "$file" || fail "the password shows in $file"
done
! grep -qaF -f password ./*.db* ./*.vault* || fail "the password shows on disk"
done_with "3121 documents at the same revisions on both sides; the password shows in no report and no file of both"

step "Summary"
printf '  %s\n' "${summary[@]}"
keep sync office.db laptop.db office.key laptop.key
place=${kept#"$root"/}
printf '\n\033[1mThe databases of the demo stay in %s. To try next, in %s:\033[0m\n' "$place" "$root"
printf '  $ %s\n' \
    "export PATH=${built/#"$root"/\$PWD}:\$PATH    # or 'make install'" \
    "sealite sql $place/files/sealed.db -k $place/files/demo.key .tables" \
    "sealite query $place/documents/world.db -k $place/documents/world.key \"SELECT name FROM countries WHERE name LIKE 'I%'\"" \
    "sealite doc history $place/sync/office.db office-1 -k $place/sync/office.key"
