#!/bin/sh
# GRDB.swift 7.10.0 with SQLite 3.40.1 (Swift 6.3, Debian 12): opening a DatabasePool writes to the file, by a file: URI each time.
#
# A pool makes sure that the write-ahead log isn't empty: if the file named by the path it was given and "-wal" is missing or empty, it
# creates and drops a table. That raises PRAGMA schema_version by 2, so that every other connection parses the schema anew and
# prepares its statements again, and waits for the disk. A URI with "-wal" after it names no file: a pool that is opened by a URI writes
# even if another connection has a log that isn't empty, while a pool that is opened by the path then writes nothing. Nothing is
# returned or logged. A DatabaseQueue writes nothing in either case. Seen, beside an open connection with such a log:
#
#     pool by path: schema_version +0
#     pool by URI: schema_version +2
#     queue by URI: schema_version +0
#
# Builds GRDB.swift 7.10.0 in a temporary folder (about a minute). Exits with 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/Opening"
cat >"$folder/Package.swift" <<'SWIFT'
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Opening",
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")],
    targets: [.executableTarget(name: "Opening", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])]
)
SWIFT
cat >"$folder/Sources/Opening/main.swift" <<'SWIFT'
import Foundation
import GRDB

let path = CommandLine.arguments[1] + "/a.db"
let holder = try DatabasePool(path: path)
try holder.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }

func version() throws -> Int {
    try holder.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA schema_version") ?? 0 }
}

func growth(_ open: () throws -> any DatabaseWriter) throws -> Int {
    let before = try version()
    let other = try open()
    let after = try version()
    try other.close()
    return after - before
}

let uri = "file:" + path
let found = [
    try growth { try DatabasePool(path: path) }, try growth { try DatabasePool(path: uri) },
    try growth { try DatabaseQueue(path: uri) },
]
for (name, count) in zip(["pool by path", "pool by URI", "queue by URI"], found) {
    print("\(name): schema_version +\(count)")
}
exit(found == [0, 2, 0] ? 0 : 1)
SWIFT
swift build --quiet --package-path "$folder" --scratch-path "$folder/build" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
mkdir "$folder/data"
"$folder/build/debug/Opening" "$folder/data" || { echo "the behaviour has changed" >&2; exit 1; }
