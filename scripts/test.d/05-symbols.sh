#!/bin/sh
# What scripts/public-symbols.py sees: each change is planted in a copy of one module, and must be named, or must not be.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "symbols check: $1" >&2; cat "$work/said" >&2; exit 1; }

mkdir "$work/scripts" "$work/Sources" "$work/Sources/SealiteBase"
cp scripts/public-symbols.py "$work/scripts/"
cp Package.swift "$work/"
planted="$work/Sources/SealiteBase/Planted.swift"
check() { "$work/scripts/public-symbols.py" "$@" >"$work/said" 2>&1; }
# seen TEXT LINE: the change must be named by this line; unseen TEXT: it must not be.
seen() { printf '%b\n' "$1" >"$planted"; ! check && grep -qF -- "$2" "$work/said" || fail "not seen: $1"; }
unseen() { printf '%b\n' "$1" >"$planted"; check || fail "seen: $1"; }

: >"$work/said"
start='public protocol Open {}\nprotocol Own {}\npublic struct Box {\n    public var size: Int\n}\nstruct Inner {}\n'
printf '%b' "$start" >"$planted"
check --write || fail "a list that was just written differs"
unseen "$start// public struct Other {}\nfunc hidden() {}\nextension Inner { public func shown() {} }"
unseen "${start}extension Box: Own {\n    package func hidden(_ text: String = \"public func f()\") {}\n}"
seen "${start}public func shown(\n    _ number: Int = 1, to: [String: Int]\n) throws -> Int { number }" \
    '+ SealiteBase: func shown(_ number: Int = 1, to: [String: Int]) throws -> Int'
seen "${start}extension Box: Open {}" '+ SealiteBase: Box : Open'
seen "${start}extension Box {\n    public enum Kind { case one(_ size: Int), two }\n}" '+ SealiteBase: Box.Kind case one(_ size: Int)'
seen "${start}public protocol More {\n    associatedtype Part\n    var parts: [Part] { get async }\n}" \
    '+ SealiteBase: More var parts: [Part] { get async }'
seen "$(printf '%b' "$start" | sed 's/public var size/public private(set) var size/')" '- SealiteBase: Box var size: Int { get set }'
seen "${start}@_exported import Other" '+ SealiteBase: export Other'
grep -qF 'scripts/public-symbols.py --write' "$work/said" || fail "doesn't say what to do"
echo "symbols check: every change is named"
