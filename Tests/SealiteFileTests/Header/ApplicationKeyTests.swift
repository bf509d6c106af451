import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("the application key of a file")
struct ApplicationKeyTests {
    private let folder: Folder
    private let raw = [UInt8](repeating: 7, count: 32)

    init() throws { folder = try Folder() }

    private func make() throws -> (SealedDatabase, [UInt8]) {
        var options = CreationOptions()
        options.applicationKey = try .random()
        let made = try SealedDatabase.create(folder.file("a.db"), slot: .rawKey(SecretBytes(raw)), options: options)
        let connection = try made.connect()
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        return (made, try key(of: made))
    }

    private func key(of database: SealedDatabase, _ label: String = "one") throws -> [UInt8] {
        try #require(try database.ring.applicationKey()).derive(label).exposed
    }

    private func open(_ name: String, _ raw: [UInt8]? = nil) throws -> SealedDatabase {
        try SealedDatabase.open(folder.file(name), key: .rawKey(SecretBytes(raw ?? self.raw)))
    }

    @Test("the application key is another in each file, and another for each label, and most files have none")
    func labels() throws {
        let (made, first) = try make()
        #expect(try key(of: made, "two") != first)
        #expect(try key(of: open("a.db")) == first)
        let plain = try SealedDatabase.create(folder.file("b.db"), slot: .rawKey(SecretBytes(raw)))
        #expect(try plain.ring.applicationKey() == nil)
        var options = CreationOptions()
        options.applicationKey = try .random()
        let other = try SealedDatabase.create(folder.file("c.db"), slot: .rawKey(SecretBytes(raw)), options: options)
        #expect(try key(of: other) != first)
    }

    @Test("the application key stays through changes of slots and through rotations, for open handles and new ones")
    func rotation() throws {
        let (made, first) = try make()
        let sleeper = try open("a.db")
        try made.addSlot(.rawKey(SecretBytes([UInt8](repeating: 8, count: 32))), label: "second")
        let rotation = try KeyRotation(of: made)
        try rotation.dropSlot(2)
        _ = try rotation.run()
        #expect(try key(of: made) == first)
        #expect(try key(of: open("a.db")) == first)
        #expect(try sleeper.connect().integer("SELECT x FROM t") == 1)
        #expect(try key(of: sleeper) == first)
    }

    @Test("backups and what is salvaged carry the application key, with the same slots or with new ones")
    func copies() throws {
        let (made, first) = try make()
        let other = [UInt8](repeating: 9, count: 32)
        _ = try made.backup(to: folder.file("same.db"))
        _ = try made.backup(to: folder.file("new.db"), slot: .rawKey(SecretBytes(other)))
        _ = try made.salvage(to: folder.file("saved.db"), slot: .rawKey(SecretBytes(other)))
        #expect(try key(of: open("same.db")) == first)
        #expect(try key(of: open("new.db", other)) == first)
        #expect(try key(of: open("saved.db", other)) == first)
    }

    @Test("a locked handle doesn't give the application key")
    func locked() throws {
        let (made, _) = try make()
        made.lock()
        #expect(throws: SealedFileError(.locked, "")) { try made.ring.applicationKey() }
    }
}
