import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteValues

/// A note of schema version 2; version 1 stored it as `number` and `text`.
struct Note: Model {
    var id = ""
    var doubled = 0
    var text = ""

    static let declaration = ModelDeclaration(name: "Note")
}

/// Opens a database with the notes of version 2, which doubles their numbers and writes their texts anew.
func migrateNotes(_ path: String, key: consuming SecretBytes) throws {
    let database = try Database.open(path, key: .rawKey(key))
    var configuration = ModelConfiguration(version: 2, types: [Note.self]) { migration in
        try migration.enumerate("Note") { old, new in
            try new?.set("doubled", .int64((old?.integer("number") ?? 0) * 2))
            try new?.set("text", "\(old?.string("text") ?? ""), again")
        }
    }
    configuration.progress = { progress in
        if progress.rowCount == 0 { say("begun") }
        return true
    }
    _ = try ModelStore.open(database, configuration) as ModelStore
    try database.close()
}
