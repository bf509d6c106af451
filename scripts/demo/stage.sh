# shellcheck shell=bash
# What the acts of the demo share: a folder that goes away, and words on the screen. Sourced from the project's folder.
built=${SEALITE_PROGRAMS:-.build/release}
case $built in /*) ;; *) built=$PWD/$built ;; esac
scripts=$PWD/scripts/demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export SQLITE_TMPDIR=$work/temporary
mkdir "$SQLITE_TMPDIR"
# The settings of whoever runs the demo count for nothing in it.
unset SEALITE_KEY_FILE SEALITE_PASSPHRASE_FILE SEALITE_STORE
export XDG_CONFIG_HOME=$work/config
summary=()

# What is built has the names that it has where it is installed, and python3 and sqlite3 are Debian's.
use_short_names() {
    mkdir "$work/bin"
    ln -s "$built"/{sealite,GRDBDump,PersonMigration} /usr/bin/{python3,sqlite3} "$work/bin/"
    ln -s "$built/libsealitevfs.so" "$scripts"/*.py "$work/"
    PATH=$work/bin:$PATH
}
# The commands that are shown go where the demo's words go, also while a command's own output goes elsewhere.
exec 3>&1
step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
# An act begins: its name, how long it takes, and what it does.
opening() {
    printf '\n\033[1m%s\033[0m\n' "$1"
    shift
    printf '%s\n' "$@"
}
source scripts/demo/show.sh
# Shows a command and runs it.
run() {
    show "$@" >&3
    "$@" 3>&-
}
# Does so without any setting of the environment: a program that Debian has, with the extension.
run_bare() {
    show "$@" >&3
    env -i SQLITE_TMPDIR="$SQLITE_TMPDIR" "$@" 3>&-
}
# Shows a command that has to fail, and then what it says: with that exit code, and those words.
refused() {
    local wanted=$1 words=$2 code=0
    shift 2
    "$@" 2>refusal || code=$?
    cat refusal
    [ "$code" -eq "$wanted" ] || fail "it should be refused with exit code $wanted, and ended with $code"
    grep -qF -- "$words" refusal || fail "the refusal doesn't say: $words"
}
# Copies files of an act to the folder that the demo leaves, in place of those of an earlier run.
kept=${SEALITE_DEMO_FOLDER:-$PWD/.build/demo/databases}
keep() {
    mkdir -p "$kept/$1"
    cp -- "${@:2}" "$kept/$1/"
}
fail() {
    printf '\ndemo: %s\n' "$*" >&2
    exit 1
}
# Shows that a long step goes on: a dot every second until the command ends. It runs in a shell of its own.
waiting_for() {
    "$@" &
    await_job $!
}
# Waits for a job of this shell with a dot every second, and ends as the job did.
await_job() {
    local round=0
    while kill -0 "$1" 2>/dev/null; do
        [ ! -t 2 ] || [ $((round += 1)) -lt 5 ] || [ $((round % 5)) -gt 0 ] || printf . >&2
        sleep 0.2
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
    wait "$1"
}
done_with() {
    printf '  ok: %s\n' "$*"
    summary+=("$*")
}
