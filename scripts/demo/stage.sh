# shellcheck shell=bash
# What the acts of the demo share: a folder that goes away, and words on the screen. Sourced from the project's folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export SQLITE_TMPDIR=$work/temporary
mkdir "$SQLITE_TMPDIR"
# The settings of whoever runs the demo count for nothing in it.
unset SEALITE_KEY_FILE SEALITE_PASSPHRASE_FILE SEALITE_STORE
export XDG_CONFIG_HOME=$work/config
summary=()

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
# An act begins: its name, how long it takes, and what it does.
opening() {
    printf '\n\033[1m%s\033[0m\n' "$1"
    shift
    printf '%s\n' "$@"
}
# Prints a command as it can be pasted into a shell, and runs it.
run() {
    printf '$' >&2
    printf ' %s' "${@@Q}" | sed "s/'\([A-Za-z0-9_./:=,+@%-]\{1,\}\)'/\1/g" >&2
    printf '\n' >&2
    "$@"
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
