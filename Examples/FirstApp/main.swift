// The program of Documentation/FirstApp.md, made by scripts/readme-program.py; scripts/test.d/30-readme.sh compares and runs it.

import Foundation
import Sealite

func run() async throws {
    let path = "notes.db"
    let store = try await Credentials.openStore(policy: StorePolicy(makesVault: true)).store
    let keys = StoredKeys(store)
    let database: Database
    if Database.exists(at: path) {
        database = try await Database.open(path, keyFrom: keys)
    } else {
        let recovery = try RecoveryKey()
        // 69 bytes of ASCII: print them, and store the paper away from the machine.
        let words = try recovery.paperForm()
        words.withUnsafeBytes { FileHandle.standardOutput.write(Data($0) + Data("\n".utf8)) }
        database = try await Database.create(path, keyIn: keys, options: CreationOptions(recoveryKey: recovery))
    }
    struct Note: Codable, Identifiable, Sendable {
        var id = ObjectID().hex
        var text: String
        var done = false
    }
    let notes = try await database.createCollection(name: "notes")
    var milk = Note(text: "milk")
    try await notes.save(from: milk)
    milk.done = true
    try await notes.save(from: milk)  // a new revision of the same document
    try await database.write { transaction in  // one transaction
        for note in [Note(text: "bread"), Note(text: "apples")] {
            try transaction.save(MutableDocument(id: note.id, encoding: note), in: notes)
        }
    }
    try notes.createIndex(withName: "open", config: ValueIndexConfiguration(["done", "text"]))
    let query = try database.createQuery("SELECT META().id, text, done FROM notes WHERE done = \(false) ORDER BY text")
    for note in try await query.execute().data(as: Note.self) { print(note.text) }
    for try await notes in query.values(as: Note.self) {  // the result now, and again after every change by any process
        print("\(notes.count) open")
    }
    var configuration = ReplicatorConfiguration(
        collections: [notes], target: try EndpointURL("wss://sync.example.com:4984/notes"))
    configuration.continuous = true
    configuration.authenticator = StoreAuthenticator(store: store)
    let replicator = try Replicator(configuration)
    replicator.start()
}

do {
    try await run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
