import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("the registry of unlocked databases")
struct KeyRegistryTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func make(_ name: String) throws -> SealedDatabase {
        let key = SecretBytes([UInt8](repeating: 7, count: 32))
        return try SealedDatabase.create(folder.file(name), slot: .rawKey(key))
    }

    @Test("the registry forgets databases that a process has opened and closed, and keeps one that is open")
    func closed() throws {
        var entries = KeyRegistry.Entries()
        let kept = try make("kept.db")
        entries.add(kept.ring)
        for number in 0..<200 {
            entries.add(try make("\(number).db").ring)
            #expect(entries.count <= 16)
        }
        #expect(entries.rings(for: kept.ring.databaseID).last === kept.ring)
    }
}
