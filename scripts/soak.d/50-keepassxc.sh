#!/bin/sh
# Credentials in KeePassXC's Secret Service, headless: saved, found by secret-tool, read back, replaced, listed and removed. It has a
# home, a session bus, a display and a database of its own. Usage: 50-keepassxc.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
if [ "${SEALITE_KEEPASSXC_INSIDE:-}" = "" ]; then
    scripts/setup.sh keepassxc xvfb
    [ -x "$tool" ] || make --no-print-directory product NAME=sealite
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    umask 077
    mkdir "$work/home" "$work/runtime"
    # Without service files: the bus would start another provider.
    cat >"$work/bus.conf" <<XML
<busconfig><type>session</type><listen>unix:path=$work/bus</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
XML
    env -u DISPLAY -u WAYLAND_DISPLAY SEALITE_KEEPASSXC_INSIDE="$work" HOME="$work/home" XDG_RUNTIME_DIR="$work/runtime" \
        XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache" \
        dbus-run-session --config-file="$work/bus.conf" -- "$PWD/scripts/soak.d/50-keepassxc.sh" "$tool"
    exit
fi
work=$SEALITE_KEEPASSXC_INSIDE
cd "$work"

# A database whose root group is exposed: KeePassXC keeps that setting in the database, and only its XML form can be edited here.
printf 'pass\npass\n' | keepassxc-cli db-create -q -p --decryption-time 100 empty.kdbx 2>/dev/null
printf 'pass\n' | keepassxc-cli export -q -f xml empty.kdbx >empty.xml
/usr/bin/python3 - empty.xml exposed.xml <<'PYTHON'
import base64, sys, uuid
import xml.etree.ElementTree as tree
document = tree.parse(sys.argv[1])
group = uuid.UUID(bytes=base64.b64decode(document.find("Root/Group/UUID").text))
meta = document.find("Meta")
data = meta.find("CustomData")
if data is None:
    data = tree.SubElement(meta, "CustomData")
item = tree.SubElement(data, "Item")
tree.SubElement(item, "Key").text = "FDO_SECRETS_EXPOSED_GROUP"
tree.SubElement(item, "Value").text = "{%s}" % group
document.write(sys.argv[2])
PYTHON
printf 'pass\npass\n' | keepassxc-cli import -q -p --decryption-time 100 exposed.xml test.kdbx 2>/dev/null
mkdir -p config/keepassxc
cat >config/keepassxc/keepassxc.ini <<'INI'
[General]
ConfigVersion=2
UpdateCheckMessageShown=true
SingleInstance=false
[FdoSecrets]
Enabled=true
ShowNotification=false
ConfirmAccessItem=false
ConfirmDeleteItem=false
UnlockBeforeSearch=false
[GUI]
CheckForUpdates=false
INI

Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>display 2>/dev/null &
x=$!
trap 'kill $keepass $x 2>/dev/null; wait || true' EXIT
keepass=
for _ in $(seq 600); do [ -s display ] && break || sleep 0.1; done
DISPLAY=:$(cat display)
export DISPLAY
printf 'pass\n' | keepassxc --pw-stdin --config config/keepassxc/keepassxc.ini test.kdbx >keepassxc.log 2>&1 &
keepass=$!

fail() {
    echo "keepassxc: $1" >&2
    kill -0 $keepass 2>/dev/null || { code=0; wait $keepass || code=$?; echo "KeePassXC itself ended, with exit code $code" >&2; }
    tail -5 keepassxc.log >&2
    exit 1
}
status() { "$tool" credential status --store secret-service --json 2>&1; }
for _ in $(seq 600); do status >state 2>&1 && break || sleep 0.1; done
status >state || fail "the store can't be used: $(cat state)"
grep -qi keepassxc state || fail "another provider answers: $(cat state)"

service=https://sync.example.com/notes
on="--store secret-service --store-timeout 60"
# shellcheck disable=SC2086 # words
set_password() { printf '%s' "$1" | "$tool" credential set $service --user ana $on >/dev/null; }
# shellcheck disable=SC2086
get() { "$tool" credential get $service --user ana --reveal $on; }
set_password one || fail "nothing could be saved"
[ "$(get)" = one ] || fail "what was saved isn't read back"
set_password two
[ "$(get)" = two ] || fail "a credential isn't replaced"
[ "$(secret-tool lookup sealite-service $service sealite-account ana sealite-kind password)" = two ] || fail "secret-tool doesn't find it"
# An item of another program, of whose attributes Sealite's have none, replaces nothing.
printf 'theirs' | secret-tool store --label=theirs service $service account ana
[ "$(get)" = two ] || fail "another program's item replaced ours"
# Passwords of Python's keyring, in its two schemes. KeePassXC 2.7.4 sometimes ends by itself after an item was deleted, so that they
# stay, and items are deleted last.
printf 'five' | secret-tool store --label=python application "Python keyring library" service python username ana
printf 'six' | secret-tool store --label=titled application "Python keyring library" Title titled UserName ana
# shellcheck disable=SC2086
"$tool" credential import --from python-keyring $on >imported 2>&1 || fail "Python's passwords: $(cat imported)"
# shellcheck disable=SC2086
[ "$("$tool" credential get python --user ana --reveal $on)$("$tool" credential get titled --user ana --reveal $on)" = fivesix ] ||
    fail "Python's passwords aren't imported: $(cat imported)"
printf 'three' | secret-tool store --label=other service $service account bob kind password
# shellcheck disable=SC2086
[ "$("$tool" credential get $service --user bob --reveal $on)" = three ] || fail "what secret-tool stored isn't found"
# shellcheck disable=SC2086
[ "$("$tool" credential list $on | grep -c "$service")" = 2 ] || fail "the list isn't two long"
# A database with its key there, opened without one.
# shellcheck disable=SC2086
"$tool" create a.db --key-in-store --no-recovery-key $on >/dev/null 2>&1 || fail "a database's key can't be kept"
# shellcheck disable=SC2086
[ "$("$tool" sql a.db 'SELECT 42' --csv $on | tail -1)" = 42 ] || fail "a database doesn't open with its key in the store"
for user in ana bob; do
    # shellcheck disable=SC2086
    "$tool" credential remove $service --user $user $on >/dev/null || fail "$user's credential can't be removed"
done
code=0
get >/dev/null 2>&1 || code=$?
[ "$code" = 66 ] || fail "a removed credential is still there, or not proven absent (exit code $code)"
# Locked, nothing is reported as absent.
set_password four
dbus-send --session --dest=org.keepassxc.KeePassXC.MainWindow --print-reply /keepassxc \
    org.keepassxc.KeePassXC.MainWindow.lockAllDatabases >/dev/null || fail "the database can't be locked"
code=0
get >out 2>&1 || code=$?
[ "$code" = 69 ] || fail "locked: exit code $code: $(cat out)"
echo "keepassxc: credentials and a database's key kept, found, replaced and removed; locked, it says: $(head -1 out)"
