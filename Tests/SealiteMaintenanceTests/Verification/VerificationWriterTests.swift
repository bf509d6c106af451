import Dispatch
import Foundation
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// A writer on a thread of its own, whose transaction is open when `init` returns.
private final class WaitingWriter: Sendable {
    private let committed = DispatchSemaphore(value: 0)

    init(_ database: SealedDatabase) throws {
        let begun = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [committed] in
            do {
                let connection = try database.connect(busyTimeout: waitingLimit)
                try connection.execute(
                    "BEGIN IMMEDIATE; INSERT INTO big(b) VALUES ('new')")
                begun.signal()
                try connection.execute("COMMIT")
                committed.signal()
            } catch {
                Issue.record(error)
            }
        }
        try #require(begun.wait(timeout: .now() + .seconds(300)) == .success, "the transaction has begun")
    }

    /// Waits for the end of the transaction; returns false if it doesn't end.
    func hasCommitted() -> Bool { committed.wait(timeout: .now() + .seconds(300)) == .success }
}

@Suite("a verification gives way to writers")
struct VerificationWriterTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private func makeDatabase() throws -> SealedDatabase {
        let database = try scratch.create(pageSize: 4096, mode: "DELETE")
        try database.connect().execute(
            """
            CREATE TABLE big(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 400)
            INSERT INTO big SELECT x, randomblob(8000) FROM n
            """)
        return database
    }

    @Test(
        "a writer in rollback-journal mode commits while the pages are read, and while their content is checked",
        arguments: [VerificationProgress.Phase.pages, .integrity])
    func commits(phase: VerificationProgress.Phase) throws {
        let database = try makeDatabase()
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.folder)
        var (writer, hasBegun, phases): (WaitingWriter?, Bool, [VerificationProgress.Phase]) = (nil, false, [])
        let report = try database.verify { now in
            if now.phase != phases.last { phases.append(now.phase) }
            if !hasBegun, now.phase == phase {
                hasBegun = true
                writer = try? WaitingWriter(database)
            } else if now.phase == .copying, let waiting = writer, waiting.hasCommitted() {
                phases.append(.nonces)
                writer = nil
            }
        }
        // The mark `nonces` says that the writer had committed before the copy was complete.
        let copied: [VerificationProgress.Phase] = [.pages, .integrity, .copying, .nonces]
        #expect(phases.starts(with: copied), "\(phases)")
        #expect(phases.last == .integrity && report.integrity == .ok && report.isSound, "\(report)")
        #expect(try database.connect().integer("SELECT count(*) FROM big") == 401)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder).sorted() == before.sorted())
    }

    @Test(
        "a statement under the lock is interrupted when a writer begins, or had begun before it, and only then",
        arguments: [false, true])
    func interrupted(isBetweenStatements: Bool) throws {
        let database = try makeDatabase()
        let connection = try database.connect()
        let watch = try WriterWatch(database)
        #expect(try watch.whileNobodyWaits(connection) { () throws(SealedFileError) in 7 } == 7)
        #expect(!watch.hasWriter)
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM big")
        var writer: WaitingWriter?
        let result = try watch.whileNobodyWaits(connection) { () throws(SealedFileError) in
            writer = try? WaitingWriter(database)
            if isBetweenStatements {
                letTimePass(.milliseconds(50), because: "the first interruption finds no statement")
            }
            return try connection.integer(
                """
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000000) SELECT count(*) FROM n
                """)
        }
        #expect(result == nil && watch.hasWriter)
        try connection.execute("ROLLBACK")
        #expect(writer?.hasCommitted() == true)
        #expect(try connection.integer("SELECT count(*) FROM big") == 401)
    }

    @Test("damage is found while a writer has a transaction open")
    func damage() throws {
        let database = try makeDatabase()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: database.path)))
        bytes[8192 + 300 * 4096 + 17] ^= 1
        try Data(bytes).write(to: URL(filePath: database.path))
        let writer = try database.connect()
        try writer.execute("BEGIN IMMEDIATE")
        let report = try database.verify()
        #expect(report.pages.damagedCount == 1 && report.integrity == .skipped)
        #expect(report.findings.contains { $0.part == .page && $0.first == 301 && $0.severity == .damage })
        try writer.execute("ROLLBACK")
    }

    @Test("content that is damaged is found in the copy too")
    func content() throws {
        let database = try makeDatabase()
        let connection = try database.connect()
        try connection.execute(
            """
            CREATE INDEX i ON big(length(b)); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON big(a)' WHERE name = 'i'
            """)
        try connection.execute("BEGIN IMMEDIATE")
        let report = try database.verify()
        #expect(report.integrity == .failed && report.findings.contains { $0.part == .content })
        try connection.execute("ROLLBACK")
    }
}
