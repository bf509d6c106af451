// Opens a sealed database with GRDB and prints what a script selects: one column of text, one line a row.
// Usage: GRDBDump DB KEYFILE SCRIPT

import Foundation
import GRDB
import SealiteGRDB

/// Thrown where the arguments aren't three.
struct Usage: Error, CustomStringConvertible {
    let description = "usage: GRDBDump DB KEYFILE SCRIPT"
}

func run(_ arguments: [String]) throws {
    guard arguments.count == 4 else { throw Usage() }
    let file = try SealedDatabase.open(arguments[1], key: .rawKey(try SecretFile.path(arguments[2]).rawKey()))
    let queue = try file.makeQueue()
    let script = try String(contentsOfFile: arguments[3], encoding: .utf8)
    try queue.read { db in
        let statements = try db.allStatements(sql: script)
        while let statement = try statements.next() {
            let rows = try String.fetchCursor(statement)
            while let row = try rows.next() { print(row) }
        }
    }
}

do {
    try run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
