import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("a freshness record against forged and old files")
struct FreshnessForgeryTests {
    private let scratch: SealedScratch
    private var record: String { scratch.path("notes.freshness") }

    init() throws {
        scratch = try SealedScratch()
        try scratch.create(mode: "DELETE").connect().fillNotes(5)
    }

    private func reason(_ database: SealedDatabase) throws -> String? {
        if case .rolledBack(_, _, let reason) = try database.freshness(against: record) { reason } else { nil }
    }

    /// The file under its own id and keys, with another application key or none, and every number raised.
    private func forge(applicationKey: ApplicationKey?) throws {
        let database = try scratch.open()
        let ring = database.ring
        try database.connect().execute("UPDATE notes SET body = 'forged'")
        try database.editHeader { (content) throws(SealedFileError) in
            content.freshness += 1000
            content.generation += 1000
            let master = try ring.masterKey()
            content.applicationKey = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try applicationKey.map { (key) throws(CryptoError) in
                    try master.wrap(key, databaseID: ring.databaseID)
                }
            }
        }
    }

    @Test("a file with higher numbers and without the recorded file's application key is refused")
    func forged() throws {
        try scratch.open().recordFreshness(at: record)
        for key in [nil, try ApplicationKey.random()] {
            try forge(applicationKey: key)
            let database = try scratch.open()
            #expect(try reason(database)?.contains("application key") == true)
            #expect(throws: SealedFileError(.rolledBack, "")) { try database.recordFreshness(at: record) }
        }
    }

    @Test("a record of the removed format without a MAC is refused by name, and neither it nor the file is changed")
    func removedFormat() throws {
        let database = try scratch.open()
        let made = try database.recordFreshness(at: record)
        let lines = String(decoding: made.encoded(), as: UTF8.self).split(separator: "\n")
            .filter { !$0.contains("generation") && !$0.contains("\"mac\"") }
        let old = lines.joined(separator: "\n").replacing("freshness 2", with: "freshness 1")
            .replacing("\(made.digest.hex)\",", with: "\(made.digest.hex)\"")
        try scratch.write(Array(old.utf8), "notes.freshness")
        let before = try scratch.bytes("test.db")
        for what in ["check", "record", "open"] {
            let error = #expect(throws: SealedFileError.self, "\(what)") {
                switch what {
                case "check": _ = try database.freshness(against: record)
                case "record": try database.recordFreshness(at: record)
                default:
                    _ = try SealedDatabase.open(
                        scratch.path("test.db"), key: .rawKey(testKey()),
                        freshness: FreshnessPolicy(recordPath: record, acceptsRollback: true))
                }
            }
            #expect(
                error?.code == .unsupportedVersion && error?.hint == MaintenanceRemedy.renewFreshnessRecord.hint,
                "\(what)")
        }
        #expect(try scratch.bytes("test.db") == before)
        #expect(try scratch.bytes("notes.freshness") == Array(old.utf8))
    }

    @Test("the first record gives the file an application key, which stays through records, rotations and slots")
    func applicationKey() throws {
        #expect(try scratch.open().ring.applicationKey() == nil)
        let first = try scratch.open().recordFreshness(at: record)
        let wrapped = try #require(try scratch.open().ring.content.applicationKey)
        try scratch.open().recordFreshness(at: record)
        #expect(try scratch.open().ring.content.applicationKey == wrapped)
        _ = try KeyRotation(of: try scratch.open()).run()
        let database = try scratch.open()
        #expect(database.ring.content.applicationKey != wrapped)
        #expect(try reason(database) == nil)
        let key = try #require(try database.ring.applicationKey())
        #expect(try first.isAuthentic(under: key))
    }

    @Test("an old header put back under the newest pages is refused by its generation")
    func oldHeader() throws {
        let database = try scratch.open()
        try database.addSlot(.rawKey(testKey(9)))
        try database.recordFreshness(at: record)
        let old = Array(try scratch.bytes("test.db")[0..<8192])
        try database.removeSlot(2)
        let made = try database.recordFreshness(at: record)
        #expect(made.generation == database.ring.generation)
        try scratch.patch("test.db", at: 0, old)
        #expect(try reason(try scratch.open()) != nil)
        // Also where the counter tells nothing: the generation alone is too low.
        var content = try BaseHandle.readHeader(scratch.path("test.db"), vfs: "unix").content
        content.freshness = made.counter
        let image = try HeaderImage(content, master: try database.ring.masterKey())
        try scratch.patch("test.db", at: 0, image.bytes + image.bytes)
        #expect(try reason(try scratch.open()) == "its header generation is lower than the recorded one")
    }

    @Test("every byte of the record flipped is refused, unless it says the same")
    func flipped() throws {
        let database = try scratch.open()
        let made = try database.recordFreshness(at: record)
        let bytes = try scratch.bytes("notes.freshness")
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            try scratch.write(changed, "notes.freshness")
            guard case .fresh(let recorded, _)? = try? database.freshness(against: record) else { continue }
            #expect(recorded == made, "bit \(bit)")
        }
    }
}
