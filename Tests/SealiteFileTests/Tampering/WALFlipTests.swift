import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

/// A log is recovered up to the last commit before what doesn't fit: the content is then exactly that commit's.
@Suite("flipped bits and misplaced bytes in the WAL")
struct WALFlipTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private static let frameByteCount = 1048

    /// A database with a log of several commits, as a crash leaves it.
    private struct Crashed {
        var wal: [UInt8]
        /// The content when the log had this many frames.
        var contents: [Int: [String]]
        /// The content of the last commit within this many frames.
        func content(after frames: Int) -> [String]? {
            contents.filter { $0.key <= frames }.max { $0.key < $1.key }?.value
        }
        var frameCount: Int { (wal.count - 32) / frameByteCount }
    }

    private func crash(_ name: String = "test.db", text: String = "note") throws -> Crashed {
        let database = try scratch.create("live-" + name, mode: "WAL")
        let connection = try database.connect()
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        try connection.fillNotes(8, text: text)
        _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
        var contents = [0: try connection.dump()]
        for index in 1...4 {
            try connection.execute("BEGIN; UPDATE notes SET body = 'commit \(index)' WHERE id = \(index)")
            if index == 2 { try connection.execute("INSERT INTO notes(body) VALUES (hex(zeroblob(900)))") }
            try connection.execute("COMMIT")
            contents[(try scratch.bytes("live-\(name)-wal").count - 32) / Self.frameByteCount] = try connection.dump()
        }
        try scratch.copy("live-" + name, to: name)
        return Crashed(wal: try scratch.bytes(name + "-wal"), contents: contents)
    }

    private func read(_ database: SealedDatabase) -> Outcome {
        scratch.remove("test.db-shm")
        return Outcome.reading { database }
    }

    @Test("every byte of a frame: the content is that of the commit before")
    func everyByteOfAFrame() throws {
        let crashed = try crash()
        #expect(crashed.contents.count == 5 && crashed.frameCount >= 6)
        let database = try scratch.open()
        #expect(read(database) == .content(try #require(crashed.content(after: crashed.frameCount))))
        for frame in [0, 3] {
            let expected = Outcome.content(try #require(crashed.content(after: frame)))
            let start = 32 + frame * Self.frameByteCount
            for offset in start..<start + Self.frameByteCount {
                try scratch.withFlippedBit("test.db-wal", crashed.wal, at: offset) {
                    let outcome = read(database)
                    if outcome != expected { Issue.record("byte \(offset): \(outcome)") }
                }
            }
        }
    }

    @Test("every byte of the log's header: the content is that before the log")
    func everyByteOfTheHeader() throws {
        let crashed = try crash()
        let database = try scratch.open()
        let expected = Outcome.content(try #require(crashed.contents[0]))
        for offset in 0..<32 {
            try scratch.withFlippedBit("test.db-wal", crashed.wal, at: offset) {
                let outcome = read(database)
                if outcome != expected { Issue.record("byte \(offset): \(outcome)") }
                scratch.remove("test.db-shm")
                let report = try database.verify()
                if report.isSound { Issue.record("byte \(offset): verification says nothing") }
            }
        }
    }

    @Test("verification names a bad frame before authentic ones, wherever its byte lies", arguments: [0, 1, 3])
    func verificationNamesIt(frame: Int) throws {
        let crashed = try crash()
        let database = try scratch.open()
        for within in stride(from: 0, to: Self.frameByteCount, by: 97) {
            try scratch.withFlippedBit("test.db-wal", crashed.wal, at: 32 + frame * Self.frameByteCount + within) {
                scratch.remove("test.db-shm")
                let findings = try database.verify().findings
                #expect(findings.map(\.code) == [.damagedFrame] && findings.first?.first == frame)
            }
        }
    }

    @Test("a log cut anywhere reads as the last whole commit")
    func truncated() throws {
        let crashed = try crash()
        let database = try scratch.open()
        for end in stride(from: 0, through: crashed.wal.count, by: 131) {
            try scratch.write(Array(crashed.wal[0..<end]), "test.db-wal")
            let frames = max(0, (end - 32) / Self.frameByteCount)
            let outcome = read(database)
            if outcome != .content(try #require(crashed.content(after: frames))) { Issue.record("\(end): \(outcome)") }
        }
    }

    @Test("two frames in each other's place are the end of the log")
    func swappedFrames() throws {
        let crashed = try crash()
        var wal = crashed.wal
        let (a, b) = (32 + 2 * Self.frameByteCount, 32 + 3 * Self.frameByteCount)
        wal.replaceSubrange(a..<a + Self.frameByteCount, with: crashed.wal[b..<b + Self.frameByteCount])
        wal.replaceSubrange(b..<b + Self.frameByteCount, with: crashed.wal[a..<a + Self.frameByteCount])
        try scratch.write(wal, "test.db-wal")
        #expect(read(try scratch.open()) == .content(try #require(crashed.content(after: 2))))
    }

    @Test("the log of another database under the same slot key is ignored")
    func foreignLog() throws {
        let crashed = try crash()
        let other = try crash("other.db", text: "other")
        try scratch.write(other.wal, "test.db-wal")
        let database = try scratch.open()
        #expect(read(database) == .content(try #require(crashed.contents[0])))
    }

    @Test("a frame of an older generation of the log is the end of the log")
    func olderGeneration() throws {
        let database = try scratch.create("live.db", mode: "WAL")
        let connection = try database.connect()
        try connection.fillNotes(8)
        _ = try connection.integer("PRAGMA wal_checkpoint(RESTART)")
        try connection.execute("UPDATE notes SET body = 'old' WHERE id = 1")
        let old = try scratch.bytes("live.db-wal")
        _ = try connection.integer("PRAGMA wal_checkpoint(RESTART)")
        try connection.execute("UPDATE notes SET body = 'new' WHERE id = 1")
        let before = try connection.dump()
        try connection.execute("UPDATE notes SET body = 'newer' WHERE id = 2")
        try scratch.copy("live.db", to: "test.db")
        var wal = try scratch.bytes("test.db-wal")
        let second = 32 + Self.frameByteCount..<32 + 2 * Self.frameByteCount
        wal.replaceSubrange(second, with: old[32..<32 + Self.frameByteCount])
        try scratch.write(wal, "test.db-wal")
        #expect(read(try scratch.open()) == .content(before))
    }

    @Test("a frame that is damaged behind a running transaction's back is an error, never other content")
    func damageInALiveLog() throws {
        let database = try scratch.create(mode: "WAL")
        let connection = try database.connect()
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        try connection.fillNotes(8)
        let wal = try scratch.bytes("test.db-wal")
        let content = Outcome.content(try connection.dump())
        // The last frame of a leaf, which every reader needs.
        let start = wal.count - Self.frameByteCount
        for within in stride(from: 0, to: Self.frameByteCount, by: 13) {
            try scratch.withFlippedBit("test.db-wal", wal, at: start + within) {
                let outcome = Outcome.reading { database }
                if outcome != .refused(.damagedFrame, page: nil) { Issue.record("byte \(within): \(outcome)") }
            }
        }
        #expect(Outcome.reading { database } == content)
    }
}
