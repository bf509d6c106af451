# shellcheck shell=bash
# What the acts of the demo share: a folder that goes away, and words on the screen. Sourced from the project's folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export SQLITE_TMPDIR=$work/temporary
mkdir "$SQLITE_TMPDIR"
summary=()

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
    printf '$ %s\n' "$*" >&2
    "$@"
}
fail() {
    printf '\ndemo: %s\n' "$*" >&2
    exit 1
}
done_with() {
    printf '  ok: %s\n' "$*"
    summary+=("$*")
}
