// The program of README.md, made by scripts/readme-program.py; scripts/test.d/30-readme.sh compares and runs it.

import Foundation
import GRDB
import Sealite
import SealiteGRDB

func run() async throws {
    struct Note: Codable, Identifiable {
        var id = ObjectID().hex
        var text: String
        var done = false
    }
    let key = try SecretFile.path("notes.key").rawKey()    // SecretBytes.typed asks for a passphrase
    let database = try await DocumentDatabase.open("notes.db", key: .rawKey(key))
    let notes = try database.defaultCollection()
    try await notes.save(from: Note(text: "hello"))
    let query = try database.createQuery("SELECT META().id AS id, text, done FROM _ ORDER BY text")
    for try await found in query.values(as: Note.self) {   // at once, and after each change
        print("\(found.count) notes, the first: \(found.first?.text ?? "none")")
        break
    }
    let passphrase = SecretBytes(copying: "open sesame")   // in a real program never from its source
    let file = SealedDatabase.isSealed("tables.db")
        ? try SealedDatabase.open("tables.db", key: .passphrase(passphrase))
        : try SealedDatabase.create("tables.db", slot: .passphrase(passphrase))
    let pool = try file.makePool()                         // a GRDB DatabasePool, in WAL mode
    try await pool.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS note(text); INSERT INTO note VALUES('hello')")
    }
    let report = try KeyRotation(of: file).run()           // new keys, while the pool goes on
    print("epoch \(report.epoch)")
    try pool.close()
    file.lock()                                            // wipes the keys; later I/O fails
}

do {
    try await run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
