#!/bin/sh
# Compiles the Swift of every document and doc comment, and checks that faults of samples are found and named by page and line.
# Usage: 25-samples.sh FOLDER, that of the tests' build.
set -eu
cd "$(dirname "$0")/../.."
scripts/check-samples.py "$1"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/call.md" <<'END'
<!-- sample:
database: Database
-->

```swift
let notes = try await database.createCollection(name: "notes")
```

The second sample sees what the first declares, and has a call that there isn't.

- In a list:

  ```swift
  print(notes.name)
  try await notes.forget()
  ```
END
cat >"$work/import.md" <<'END'
```swift
import SealiteCrypto

let file = try SealedDatabase.open("a.db", key: .rawKey(.random(byteCount: 32)))
```
END
cat >"$work/manifest.md" <<'END'
```swift
// swift-tools-version: 6.2
import PackageDescription

let package = Package(name: "Notes", targets: [.executableTarget(name: "Notes", setting: [])])
```
END
cat >"$work/secret.md" <<'END'
<!-- sample: key: SecretBytes -->

```swift
let secret = key
let first = try SealedDatabase.open("a.db", key: .rawKey(secret))
let second = try SealedDatabase.open("b.db", key: .rawKey(secret))
```
END
# refused FAULTS PAGE...: the pages are refused with these faults.
refused() {
    expected=$1
    shift
    ! scripts/check-samples.py "$built" "$@" 2>"$work/said" || { echo "samples: $* have faults, and pass" >&2; exit 1; }
    found=$(sed -n 's|^.*/\([a-z]*\.md:[0-9]*\):.*error: .*|\1|p' "$work/said" | sort -u | paste -sd ' ')
    [ "$found" = "$expected" ] ||
        { echo "samples: the faults of $* are $expected, found were: $found" >&2; cat "$work/said" >&2; exit 1; }
}
built=$1
refused "call.md:15 import.md:4 manifest.md:5" "$work/call.md" "$work/import.md" "$work/manifest.md"
# Consuming a value twice is found only behind type-checking.
refused "secret.md:4" "$work/secret.md"
echo "samples: faults are named by page and line"
