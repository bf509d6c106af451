// Opens a sealed database with GRDB and prints what a script selects: one column of text, one line a row.
// Usage: GRDBDump DB KEYFILE SCRIPT

import Foundation
import GRDB
import SealiteFile
import SealiteGRDB

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    print("usage: GRDBDump DB KEYFILE SCRIPT")
    throw SealedFileUsage()
}
let database = try SealedDatabase.open(arguments[1], key: .rawKey(try SecretFile.path(arguments[2]).rawKey()))
let queue = try database.makeQueue()
let script = try String(contentsOfFile: arguments[3], encoding: .utf8)
try queue.read { connection in
    let statements = try connection.allStatements(sql: script)
    while let statement = try statements.next() {
        let rows = try String.fetchCursor(statement)
        while let row = try rows.next() { print(row) }
    }
}

/// Thrown where the arguments aren't three.
struct SealedFileUsage: Error {}
