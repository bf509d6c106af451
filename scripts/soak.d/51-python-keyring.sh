#!/bin/sh
# `sealite credential import --from python-keyring` with the Python package itself (PyPI's keyring, of two years, both schemes) on
# a GNOME Keyring of its own. Usage: 51-python-keyring.sh [TOOL]
set -eu
cd "$(dirname "$0")/../.."
tool=$(readlink -f "${1:-.build/release/sealite}")
if [ "${SEALITE_PYTHON_KEYRING_INSIDE:-}" = "" ]; then
    scripts/setup.sh
    [ -x "$tool" ] || make --no-print-directory product NAME=sealite
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    umask 077
    mkdir "$work/home" "$work/runtime"
    for version in 23.9.3 25.6.0; do
        python3 -m venv "$work/venv-$version"
        "$work/venv-$version/bin/pip" install -q "keyring==$version" SecretStorage==3.3.3
    done
    cat >"$work/bus.conf" <<XML
<busconfig><type>session</type><listen>unix:path=$work/bus</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
XML
    daemon=/usr/bin/gnome-keyring-daemon
    [ -x $daemon ] || daemon=$PWD/.build/programs/usr/bin/gnome-keyring-daemon
    env -u DISPLAY -u WAYLAND_DISPLAY SEALITE_PYTHON_KEYRING_INSIDE="$work" KEYRING_DAEMON="$daemon" HOME="$work/home" \
        XDG_RUNTIME_DIR="$work/runtime" XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" \
        dbus-run-session --config-file="$work/bus.conf" -- "$PWD/scripts/soak.d/51-python-keyring.sh" "$tool"
    exit
fi
work=$SEALITE_PYTHON_KEYRING_INSIDE
cd "$work"
fail() {
    echo "python-keyring: $1" >&2
    exit 1
}
printf 'keyring password' | "$KEYRING_DAEMON" --unlock --components=secrets >/dev/null

python() {
    version=$1
    shift
    PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring "venv-$version/bin/python" -c "$@"
}
set_all='
import keyring, sys
backend = keyring.get_keyring()
for scheme, service, user, password in [
        ("default", "wss://sync.example.com/notes", "ana", "pä ss\\\n"), ("KeePassXC", "mail", "bo", " two "),
        ("default", "ftp://h", "eve", "three"), ("default", "empty", "ana", "")]:
    backend.scheme = scheme
    backend.set_password(service + sys.argv[1], user, password)
'
python 23.9.3 "$set_all" "/23"
python 25.6.0 "$set_all" "/25"
on="--from python-keyring --store-timeout 60"
# shellcheck disable=SC2086 # words
"$tool" credential import $on --dry-run >planned || fail "nothing is listed"
[ "$(grep -c '^new ' planned)" = 4 ] || fail "not four passwords are new: $(cat planned)"
[ "$(grep -c '^skipped ' planned)" = 4 ] || fail "not four are skipped: $(cat planned)"
# shellcheck disable=SC2086
"$tool" credential import $on >done.txt || fail "the import fails"
[ "$(tail -1 done.txt)" = 'imported 4, 0 were there already, 4 skipped' ] || fail "it did something else: $(cat done.txt)"
for year in 23 25; do
    "$tool" credential get "https://sync.example.com/notes/$year" --user ana --reveal --store-timeout 60 >got
    printf 'pä ss\\\n' | cmp - got || fail "a password changed"
    "$tool" credential get "mail/$year" --user bo --reveal --store-timeout 60 >got
    printf ' two ' | cmp - got || fail "a password changed"
done
# Nothing was taken away from the Python programs, until that is asked for.
get='
import keyring, sys
found = keyring.get_keyring().get_password("wss://sync.example.com/notes" + sys.argv[1], "ana")
sys.exit(0 if found == "pä ss\\\n" else 3 if found is None else 4)
'
python 25.6.0 "$get" /25 || fail "Python doesn't find its password any more"
# shellcheck disable=SC2086
"$tool" credential import $on --service wss://sync.example.com/notes/25 --remove-imported >/dev/null || fail "removing fails"
code=0
python 25.6.0 "$get" /25 || code=$?
[ $code = 3 ] || fail "the imported password is still there"
python 23.9.3 "$get" /23 || fail "another password is gone"
echo "python-keyring: passwords of keyring 23.9.3 and 25.6.0, in both schemes, imported; one removed from there"
