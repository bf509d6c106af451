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
    let key = try SecretFile.path("notes.key").rawKey()    // SecretBytes.typed(prompt:) asks for a passphrase on the terminal
    let database = try await DocumentDatabase.open("notes.db", key: .rawKey(key))
    let notes = try database.defaultCollection()
    try await notes.save(from: Note(text: "hello"))
    let query = try database.createQuery("SELECT META().id AS id, text, done FROM _ ORDER BY text")
    for try await found in query.values(as: Note.self) {   // at once, and whenever they change, by this process or another
        print("\(found.count) notes, the first: \(found.first?.text ?? "none")")
        break
    }
    struct Dog: Model {
        var id = ObjectID()
        var name: String
        var age: Int?
    }
    let store = try await ModelStore.open(database, ModelConfiguration(types: [Dog.self]))
    try await store.save(Dog(name: "Jasper", age: 8))
    for dog in try await store.objects(Dog.self).where("age >= $age", ["age": 5]).all() { print(dog.name) }
    let archiveKey = try SecretFile.path("notes.key").rawKey()
    let archive = DocumentDatabase.exists(at: "archive.db")
        ? try await DocumentDatabase.open("archive.db", key: .rawKey(archiveKey))
        : try await DocumentDatabase.create("archive.db", slot: .rawKey(archiveKey))
    let replicator = try Replicator(ReplicatorConfiguration(collections: [notes], target: DatabaseEndpoint(archive)))
    try await replicator.run()
    print("\(try await archive.documentCount()) notes in the archive")
    let passphrase = SecretBytes(copying: "open sesame")
    let file = SealedDatabase.isSealed("tables.db")
        ? try SealedDatabase.open("tables.db", key: .passphrase(passphrase))
        : try SealedDatabase.create("tables.db", slot: .passphrase(passphrase))
    let pool = try file.makePool()                         // a GRDB DatabasePool, in WAL mode
    try await pool.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS note(text); INSERT INTO note VALUES('hello again')")
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
