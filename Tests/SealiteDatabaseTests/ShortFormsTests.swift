import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("short forms")
struct ShortFormsTests {
    private let folder: String

    init() throws {
        folder = "/tmp/sealite-short-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    @Test("a database by its name is made, then opened, and its key decides")
    func named() async throws {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let made = try DocumentDatabase(name: "notes", key: .rawKey(key.duplicate()), directory: folder + "/deep/er")
        try await made.save(document: MutableDocument(id: "a").setString("x", forKey: "text"))
        #expect(try made.count == 1)
        let counts = try await [made.documentCount(), made.defaultCollection().documentCount()]
        #expect(counts == [1, 1])
        try await made.close()
        let again = try DocumentDatabase(name: "notes", key: .rawKey(key), directory: folder + "/deep/er")
        let stored = try await again.document(id: "a")
        #expect(stored["text"].string == "x")
        try await again.delete(id: "a")
        #expect(try again.count == 0)
        try await again.close()
        #expect(throws: SealedFileError.self) {
            try DocumentDatabase(
                name: "notes", key: .rawKey(SecretBytes(copying: Data(repeating: 8, count: 32))),
                directory: folder + "/deep/er")
        }
        for name in ["", "a/b", ".a"] {
            #expect(throws: DatabaseError.self) {
                try DocumentDatabase(name: name, key: .passphrase(SecretBytes(copying: "x")), directory: folder)
            }
        }
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("a folder for databases may be named relative to the current one")
    func relativeFolder() async throws {
        let current = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: current.split(separator: "/").count)
        let database = try DocumentDatabase(
            name: "notes", key: .rawKey(.random(byteCount: 32)), directory: "\(up)\(folder.dropFirst())/relative/one")
        try await database.close()
        #expect(FileManager.default.fileExists(atPath: folder + "/relative/one/notes.db"))
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("secrets are copied from arrays, data and texts, byte for byte")
    func secrets() {
        let bytes = Array("Grüße".utf8)
        let secret = SecretBytes(copying: bytes)
        #expect(
            secret.isEqual(to: SecretBytes(copying: "Grüße")) && secret.isEqual(to: SecretBytes(copying: Data(bytes))))
        #expect(SecretBytes(copying: "").byteCount == 0)
    }

    @Test(
        "one shape for a passphrase, in create, open and add; documents that were read to be edited are deleted and purged"
    )
    func shapes() throws {
        let path = folder + "/a.db"
        let cost = Scrypt.Cost(logN: 5)
        let file = try SealedDatabase.create(path, slot: .passphrase(SecretBytes(copying: "open"), cost: cost))
        _ = try file.addSlot(.passphrase(SecretBytes(copying: "sesame"), cost: cost), label: "b")
        let database = try DocumentDatabase.open(path, key: .passphrase(SecretBytes(copying: "sesame")))
        let notes = try database.createCollection(name: "notes")
        let edited = MutableDocument(id: "a").setValue(["deep": ["x": [1, 2]]], forKey: "value")
        #expect(throws: DatabaseError.self) { try notes.purge(document: edited) }
        try notes.save(document: edited)
        let read = try notes.document(id: "a")
        #expect(read["value"]["deep"]["x"][1].int == 2 && read["nothing"]["deep"].isNull)
        #expect((nil as Value?)["x"].isNull && (read?.value(forKey: "value"))["deep"]["x"][0].int == 1)
        try notes.delete(document: edited)
        #expect(try notes.count == 0)
        let other = MutableDocument(id: "b")
        try notes.save(document: other)
        try notes.purge(document: other)
        #expect(try notes.document(id: "b") == nil)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("an error's description for people is its reason, and its hint a suggestion")
    func localized() {
        #expect(throws: DatabaseError.self) { try DocumentDatabase.delete(at: "/nowhere/at all") }
        do {
            _ = try SealedDatabase.open("/nowhere", key: .passphrase(SecretBytes(copying: "x")))
        } catch {
            #expect(error.localizedDescription == error.reason && error.recoverySuggestion == error.hint)
        }
    }
}
