import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("header backup")
struct HeaderBackupTests {
    private let scratch: SealedScratch
    private var path: String { scratch.path("test.db") }
    private var image: String { scratch.path("header.backup") }

    init() throws {
        scratch = try SealedScratch()
        try scratch.create(mode: "DELETE").connect().fillNotes(40)
    }

    private func restore(seed: UInt8 = 7) throws -> HeaderReport {
        try SealedDatabase.restoreHeader(of: path, from: image, key: .rawKey(testKey(seed)))
    }

    private func requireContent(seed: UInt8 = 7) throws {
        let database = try scratch.open(seed: seed)
        #expect(try database.connect().integer("SELECT count(*) FROM notes") == 40)
        #expect(try database.verify().findings.isEmpty)
    }

    private func damage(copies: [Int], _ name: String = "test.db") throws {
        var bytes = try scratch.bytes(name)
        for copy in copies { bytes[copy * HeaderLayout.copyByteCount + 500] ^= 0xFF }
        try scratch.write(bytes, name)
    }

    @Test("a header that is lost in both copies comes back from its backup", arguments: [0, 1])
    func bothLost(kind: Int) throws {
        let saved = try SealedDatabase.backUpHeader(of: path, to: image)
        #expect(try scratch.bytes("header.backup").count == 8192)
        if kind == 0 {
            try damage(copies: [0, 1])
        } else {
            let rest = try scratch.bytes("test.db").dropFirst(8192)
            try scratch.write([UInt8](repeating: 0, count: 8192) + rest, "test.db")
        }
        #expect(throws: SealedFileError.self) { try scratch.open() }
        let report = try restore()
        #expect(report.generation == saved.generation + 1)
        #expect(report.databaseID == saved.databaseID)
        let bytes = try scratch.bytes("test.db")
        #expect(bytes[..<4096] == bytes[4096..<8192])
        try requireContent()
    }

    @Test("a restored header has a higher generation and no lower freshness counter than the one it replaces")
    func generation() throws {
        let saved = try SealedDatabase.backUpHeader(of: path, to: image)
        do {
            let database = try scratch.open()
            try database.recordFreshness(at: scratch.path("record"))
            try database.addSlot(.rawKey(testKey(8)), label: "second")
        }
        let report = try restore()
        #expect(report.generation == saved.generation + 3)
        #expect(report.freshnessCounter == 1)
        #expect(report.slots.count == 1)
        try requireContent()
        guard case .fresh = try scratch.open().freshness(against: scratch.path("record")) else {
            Issue.record("restoring the header rolled the file back")
            return
        }
    }

    @Test("the wrong key, and a header backup that was changed, put nothing in place")
    func refused() throws {
        try SealedDatabase.backUpHeader(of: path, to: image)
        let before = try scratch.bytes("test.db")
        #expect(throws: SealedFileError(.wrongKey, "")) { try restore(seed: 9) }
        var region = try HeaderRegion(parsing: try scratch.bytes("header.backup"))
        var content = region.content
        content.freshness = 77
        let forged = try HeaderImage(content, master: try MasterKey.random())
        region = try HeaderRegion(parsing: forged.bytes + forged.bytes)
        try scratch.write(forged.bytes + forged.bytes, "header.backup")
        #expect(throws: SealedFileError(.tamperedHeader, "")) { try restore() }
        try scratch.write(Array(forged.bytes.prefix(100)), "header.backup")
        #expect(throws: SealedFileError(.damagedHeader, "")) { try restore() }
        #expect(try scratch.bytes("test.db") == before)
    }

    @Test("a header of another database is refused, whether this one's header is there or lost")
    func otherDatabase() throws {
        try scratch.create("other.db").connect().fillNotes(5)
        try SealedDatabase.backUpHeader(of: scratch.path("other.db"), to: image)
        #expect(throws: SealedFileError(.refused, "")) { try restore() }
        try damage(copies: [0, 1])
        let error = #expect(throws: SealedFileError.self) { try restore() }
        #expect(error?.code == .refused)
        #expect(error?.reason.contains("opens none of the") == true)
    }

    @Test("a page that names a later epoch is named, and keeps the header out; the salvage takes the header still")
    func laterEpoch() throws {
        try SealedDatabase.backUpHeader(of: path, to: image)
        try damage(copies: [0, 1])
        // The epoch of page 3, in its trailer.
        try scratch.patch("test.db", at: HeaderLayout.regionByteCount + 3 * 1024 - 8, [2])
        let error = #expect(throws: SealedFileError.self) { try restore() }
        #expect(error?.code == .refused && error?.page == 3)
        #expect(error?.hint?.contains("salvage") == true)
        let report = try SealedDatabase.openForSalvage(path, headerBackup: image, key: .rawKey(testKey()))
            .salvage(to: scratch.path("new.db"))
        #expect(report.lostPages == [3...3])
    }

    @Test("a header in use isn't replaced")
    func inUse() throws {
        try SealedDatabase.backUpHeader(of: path, to: image)
        let connection = try scratch.open().connect()
        try connection.execute("BEGIN")
        #expect(try connection.integer("SELECT count(*) FROM notes") == 40)
        #expect(throws: SealedFileError(.busy, "")) { try restore() }
    }

    @Test("a copy changed without the key is replaced by the authentic one when a person says so", arguments: [0, 1])
    func acceptsCopy(tampered: Int) throws {
        var bytes = try scratch.bytes("test.db")
        var content = try HeaderRegion(parsing: bytes).content
        let generation = content.generation
        content.generation += UInt64(tampered == 0 ? 5 : 0)
        content.slots[1] = content.slots[0]
        content.slots[1]?.id = [UInt8](repeating: 3, count: 16)
        let forged = try HeaderImage(content, master: try MasterKey.random())
        bytes.replaceSubrange(tampered * 4096..<(tampered + 1) * 4096, with: forged.bytes)
        try scratch.write(bytes, "test.db")
        #expect(throws: SealedFileError.self) {
            try scratch.open().connect().execute("UPDATE notes SET body = 'x'")
        }
        let report = try SealedDatabase.acceptHeaderCopy(of: path, key: .rawKey(testKey()))
        #expect(report.generation == max(generation, forged.content.generation) + 1)
        #expect(report.slots.count == 1)
        try requireContent()
        #expect(throws: SealedFileError(.refused, "")) {
            try SealedDatabase.acceptHeaderCopy(of: path, key: .rawKey(testKey()))
        }
    }

    @Test("copies that are merely damaged aren't called tampered with")
    func acceptsNoDamagedCopy() throws {
        func accept(_ copy: Int?) -> SealedFileError? {
            #expect(throws: SealedFileError.self) {
                try SealedDatabase.acceptHeaderCopy(of: path, key: .rawKey(testKey()), copy: copy)
            }
        }
        try damage(copies: [1])
        #expect(accept(1)?.code == .damagedHeader)
        try damage(copies: [0])
        #expect(accept(nil)?.code == .damagedHeader)
    }

    @Test("no copy is accepted with a key that opens none")
    func acceptsNothing() throws {
        let before = try scratch.bytes("test.db")
        #expect(throws: SealedFileError(.wrongKey, "")) {
            try SealedDatabase.acceptHeaderCopy(of: path, key: .rawKey(testKey(9)))
        }
        #expect(try scratch.bytes("test.db") == before)
    }
}
