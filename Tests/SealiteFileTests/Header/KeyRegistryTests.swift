import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("The registry of unlocked databases")
struct KeyRegistryTests {
    @Test("doesn't keep an entry of each database that a process has opened and closed")
    func closed() throws {
        let folder = try Folder()
        var entries = KeyRegistry.Entries()
        for number in 0..<200 {
            let key = SecretBytes([UInt8](repeating: 7, count: 32))
            entries.add(try SealedDatabase.create(folder.file("\(number).db"), slot: .rawKey(key)).ring)
            #expect(entries.count <= 17)
        }
    }

    @Test("keeps the entry of a database that is open")
    func open() throws {
        let folder = try Folder()
        let kept = try SealedDatabase.create(
            folder.file("kept.db"), slot: .rawKey(SecretBytes([UInt8](repeating: 7, count: 32))))
        for number in 0..<40 {
            let key = SecretBytes([UInt8](repeating: 7, count: 32))
            _ = try SealedDatabase.create(folder.file("\(number).db"), slot: .rawKey(key))
        }
        #expect(KeyRegistry.ring(for: kept.ring.databaseID, handle: nil) === kept.ring)
    }
}
