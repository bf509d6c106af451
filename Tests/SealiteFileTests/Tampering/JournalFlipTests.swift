import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// A hot journal is played back whole or not at all: the half-done transaction in the file is never handed out.
@Suite("flipped bits and misplaced bytes in a hot journal")
struct JournalFlipTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private struct Crashed {
        var file: [UInt8]
        var journal: [UInt8]
        var content: [String]
        var unitCount: Int { journal.count / 4096 - 1 }
    }

    private func crash(_ name: String = "test.db", mode: String = "DELETE") throws -> Crashed {
        let database = try scratch.create("live-" + name, mode: mode)
        let connection = try database.connect()
        if !(try connection.text("SELECT name FROM sqlite_schema") != nil) { try connection.fillNotes(24) }
        let content = try connection.dump()
        try connection.execute("PRAGMA cache_size=2; BEGIN; UPDATE notes SET body = 'half done ' || body")
        try scratch.copy("live-" + name, to: name)
        try connection.execute("ROLLBACK")
        return Crashed(file: try scratch.bytes(name), journal: try scratch.bytes(name + "-journal"), content: content)
    }

    private func restore(_ crashed: Crashed, _ name: String = "test.db") throws {
        try scratch.write(crashed.file, name)
        try scratch.write(crashed.journal, name + "-journal")
    }

    @Test("the journal is played back where nothing was flipped")
    func sound() throws {
        let crashed = try crash()
        #expect(crashed.unitCount >= 3)
        #expect(Outcome.reading { try scratch.open() } == .content(crashed.content))
        #expect(!scratch.exists("test.db-journal"))
    }

    /// Flips one bit after another; every outcome is an error that leaves the files alone, or the right content.
    private func flip(_ offsets: some Sequence<Int>, _ crashed: Crashed) throws -> [SealedFileError.Code: Int] {
        var counts: [SealedFileError.Code: Int] = [:]
        let database = try scratch.open()
        try restore(crashed)
        for offset in offsets {
            try scratch.patch("test.db-journal", at: offset, [crashed.journal[offset] ^ 1 << UInt8(offset % 8)])
            switch Outcome.reading({ database }) {
            case .content(crashed.content):
                try restore(crashed)
            case .refused(let code, _) where [.damagedJournal, .foreignJournal].contains(code):
                counts[code, default: 0] += 1
                try scratch.patch("test.db-journal", at: offset, [crashed.journal[offset]])
            case let outcome:
                Issue.record("byte \(offset): \(outcome)")
                try restore(crashed)
            }
        }
        #expect(try scratch.bytes("test.db") == crashed.file, "a refused journal changes nothing")
        return counts
    }

    @Test("every byte of the preamble: the journal is that of its first unit")
    func preamble() throws {
        let crashed = try crash()
        let counts = try flip(0..<32, crashed)
        #expect(counts.isEmpty)
    }

    @Test("every byte of the first unit")
    func firstUnit() throws {
        let crashed = try crash()
        let counts = try flip(4096..<8192, crashed)
        #expect(counts[.damagedJournal] == 4096)
    }

    @Test("every unit, in many places")
    func everyUnit() throws {
        let crashed = try crash()
        let counts = try flip(stride(from: 4096, to: crashed.journal.count, by: 61), crashed)
        #expect(counts[.damagedJournal] ?? 0 > 0)
    }

    @Test("a journal cut behind its first mark is refused, or what was cut off wasn't needed")
    func truncated() throws {
        let crashed = try crash()
        let database = try scratch.open()
        let firstMark = try firstMark(crashed, database)
        #expect(firstMark < crashed.unitCount)
        for end in stride(from: 33, to: crashed.journal.count, by: 509) {
            try restore(crashed)
            try scratch.write(Array(crashed.journal[0..<end]), "test.db-journal")
            switch Outcome.reading({ database }) {
            case .content(crashed.content), .refused(.damagedJournal, _): break
            // Nothing left says that a sync was done: the same as a journal that was deleted.
            case .content where end < JournalLayout.offset(ofUnit: firstMark + 1): break
            case let outcome: Issue.record("cut to \(end): \(outcome)")
            }
        }
    }

    /// The first unit that says that others were synced.
    private func firstMark(_ crashed: Crashed, _ database: SealedDatabase) throws -> Int {
        let handle = try #require(try database.sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL))
        let units = JournalUnits(base: handle.file, ring: database.ring)
        for index in 0..<crashed.unitCount {
            if let header = try units.open(index, followHeader: { () throws(VFSFailure) in }), header.synced > 0 {
                return index
            }
        }
        return crashed.unitCount
    }

    @Test("an old hot journal that is put back is refused, and nothing is written")
    func oldJournal() throws {
        let crashed = try crash()
        try scratch.write(crashed.file, "test.db")
        try scratch.write(crashed.journal, "test.db-journal")
        let connection = try scratch.open().connect()
        for index in 1...3 { try connection.execute("UPDATE notes SET body = 'later \(index)' WHERE id = \(index)") }
        let file = try scratch.bytes("test.db")
        try scratch.write(crashed.journal, "test.db-journal")
        let database = try scratch.open()
        #expect(Outcome.reading { database } == .refused(.foreignJournal, page: nil))
        let report = try database.verify()
        #expect(report.findings.map(\.code) == [.foreignJournal] && report.journal?.state == .refused)
        #expect(try scratch.bytes("test.db") == file)
        scratch.remove("test.db-journal")
        guard case .content(let rows) = Outcome.reading({ database }) else { return #expect(Bool(false)) }
        #expect(rows.contains { $0.hasSuffix("later 3") })
    }

    @Test("the journal of another database is no journal of this one")
    func foreignJournal() throws {
        let crashed = try crash()
        let other = try crash("other.db")
        try restore(crashed)
        let content = Outcome.reading { try scratch.open() }
        #expect(content == .content(crashed.content))
        let file = try scratch.bytes("test.db")
        try scratch.write(other.journal, "test.db-journal")
        #expect(Outcome.reading { try scratch.open() } == content)
        #expect(try scratch.bytes("test.db") == file)
    }

    @Test(
        "a flip is found in PERSIST mode too, in every byte of the preamble and of a unit",
        arguments: ["PERSIST", "TRUNCATE"])
    func otherModes(mode: String) throws {
        let crashed = try crash(mode: mode)
        let counts = try flip(Array(0..<32) + Array(stride(from: 4096, to: 12288, by: 31)), crashed)
        #expect(counts[.damagedJournal] ?? 0 >= 100)
    }
}
