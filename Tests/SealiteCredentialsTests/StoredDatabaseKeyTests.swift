import Foundation
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMaintenance
import Testing

/// A database whose key is in a store: what any store has to make possible.
private func databaseLife(in store: any CredentialStore, _ folder: VaultFolder) async throws {
    let path = folder.file("notes.db")
    let keys = store.keys(access: .patient)
    let made = try await Database.create(path, keyIn: keys)
    try await made.defaultCollection().save(document: MutableDocument(id: "a", json: #"{"n":1}"#))
    try await made.close()
    // The item is found by what it is for, and its label tells people what it is.
    let item = try #require(try await store.list(service: nil, access: .patient).items.first)
    #expect(item.reference.kind == .slotKey && item.label.hasPrefix("Sealite database key of notes.db ("))
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("copy.db"))
    for name in ["notes.db", "copy.db"] {
        let opened = try await Database.open(folder.file(name), keyFrom: keys)
        #expect(try await opened.defaultCollection().document(id: "a")?.int(forKey: "n") == 1)
        try await opened.close()
    }
    // A file of the same name that is there stays, and no key of the one that wasn't made.
    await #expect(throws: SealedFileError(.exists, "")) { try await Database.create(path, keyIn: keys) }
    #expect(try await store.list(service: nil, access: .patient).items.map(\.reference) == [item.reference])
    try await store.remove(item.reference, access: .patient)
    let error = await failure { try await Database.open(path, keyFrom: keys) }
    #expect(error?.code == .notFound && error?.hint?.contains("give its key") == true)
}

@Suite("databases with their keys in the vault")
struct StoredDatabaseKeyTests {
    private let folder: VaultFolder
    init() throws { folder = try VaultFolder() }

    @Test("a database is made, opened, copied and lost with its key in the vault")
    func life() async throws { try await databaseLife(in: try await folder.make(), folder) }

    @Test("a vault that is locked says so and names the recovery key, and makes no key")
    func locked() async throws {
        let vault = try await folder.make()
        let recovery = try RecoveryKey()
        let path = folder.file("notes.db")
        let options = CreationOptions(recoveryKey: recovery)
        let made = try await Database.create(path, keyIn: vault.keys(access: .patient), options: options)
        try await made.close()
        await vault.lock()
        let header = try Data(contentsOf: URL(filePath: path)).prefix(8192)
        let error = await failure { try await Database.open(path, keyFrom: vault.keys(access: .patient)) }
        #expect(error?.code == .locked && error?.hint?.contains("recovery key") == true)
        let failed = await failure {
            try await Database.create(folder.file("b.db"), keyIn: vault.keys(access: .patient))
        }
        #expect(failed?.code == .locked && !FileManager.default.fileExists(atPath: folder.file("b.db")))
        #expect(try Data(contentsOf: URL(filePath: path)).prefix(8192) == header)
    }

    @Test("a stored key that isn't the slot's is a wrong key, and one that isn't a sealed file's is told before asking")
    func wrong() async throws {
        let vault = try await folder.make()
        let path = folder.file("notes.db")
        let keys = vault.keys(access: .patient)
        let made = try await SealedDatabase.create(path, keyIn: keys)
        let slot = try #require(try made.publicHeader().slots.first)
        let id = stride(from: 0, to: 32, by: 2).compactMap { UInt8(slot.id.dropFirst($0).prefix(2), radix: 16) }
        try await keys.keep(try SecretBytes.random(byteCount: 32), ofSlot: id, ofDatabaseAt: path, databaseID: nil)
        await #expect(throws: SealedFileError(.wrongKey, "")) { try await Database.open(path, keyFrom: keys) }
        try Data(repeating: 0, count: 9000).write(to: URL(filePath: folder.file("other")))
        await #expect(throws: SealedFileError(.notSealed, "")) {
            try await Database.open(folder.file("other"), keyFrom: keys)
        }
    }
}

extension SecretServiceTests {
    @Suite("databases with their keys in gnome-keyring")
    struct DatabaseKeyTests {
        @Test("a database is made, opened, copied and lost with its key in gnome-keyring")
        func life() async throws {
            _ = try await Keyring.gnome()
            try await databaseLife(in: SecretServiceStore(), try VaultFolder())
        }

        @Test("a locked keyring is no missing key, and the database opens when it is unlocked")
        func locked() async throws {
            let keyring = try await Keyring.gnome()
            let store = SecretServiceStore()
            let folder = try VaultFolder()
            let path = folder.file("notes.db")
            _ = try await SealedDatabase.create(path, keyIn: store.keys(access: .patient))
            try await store.lock()
            #expect(await code { try await Database.open(path, keyFrom: store.keys(access: .patient)) } == .locked)
            try keyring.unlockGnomeKeyring()
            let opened = try await Database.open(path, keyFrom: store.keys(access: .patient))
            try await opened.close()
        }
    }
}
