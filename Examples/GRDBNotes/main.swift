// Tables of GRDB in a sealed file, with a migrator and records.
// Usage: GRDBNotes DB KEYFILE TEXT. The first use makes the database; each use adds a note and prints all.

import Foundation
import GRDB
import SealiteGRDB

struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var text: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Thrown where the arguments aren't as they have to be.
struct Usage: Error, CustomStringConvertible {
    let description = "usage: GRDBNotes DB KEYFILE TEXT"
}

func run(_ arguments: [String]) throws {
    guard arguments.count == 4 else { throw Usage() }
    let (path, keyFile) = (arguments[1], SecretFile.path(arguments[2]))
    let file =
        SealedDatabase.isSealed(path)
        ? try SealedDatabase.open(path, key: .rawKey(try keyFile.rawKey()))
        : try SealedDatabase.create(path, slot: .rawKey(try keyFile.rawKey()))
    let pool = try file.makePool()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("notes") { db in
        try db.create(table: "note") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("text", .text).notNull()
        }
    }
    try migrator.migrate(pool)
    try pool.write { db in
        var note = Note(text: arguments[3])
        try note.insert(db)
    }
    for note in try pool.read(Note.fetchAll) { print("\(note.id ?? 0)  \(note.text)") }
    try pool.close()
}

do {
    try run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
