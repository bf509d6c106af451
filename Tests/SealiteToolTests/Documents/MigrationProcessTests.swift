import Foundation
import Glibc
import Testing

@testable import SealiteTestSupport

@Suite("A database of format 1 under the tool")
struct MigrationProcessTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Format 1 as the statements that make it of the present format, in a database of one collection.
    private static let downgrade = """
        BEGIN;
        DROP INDEX documents_1_id; DROP INDEX documents_1_sequence; DROP INDEX documents_1_expires;
        ALTER TABLE documents_1 RENAME TO later;
        CREATE TABLE documents_1 (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL, flags INTEGER NOT NULL, revision BLOB NOT NULL,
            expires INTEGER, body BLOB, tree BLOB) STRICT;
        INSERT INTO documents_1 SELECT sequence, id, flags, revision, expires, body, tree FROM later ORDER BY sequence;
        CREATE UNIQUE INDEX documents_1_id ON documents_1 (id);
        CREATE INDEX documents_1_deleted ON documents_1 (sequence) WHERE flags & 1;
        CREATE INDEX documents_1_expires ON documents_1 (expires) WHERE expires IS NOT NULL;
        DROP TABLE later; DROP TABLE refusals; DROP TABLE indexes; DROP TABLE schemas;
        PRAGMA user_version = 1;
        COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE)
        """

    private func makeEarlier(documents count: Int) throws {
        try place.makeDatabase()
        let lines = (0..<count).map { "{\"_id\":\"d\($0)\",\"n\":\($0),\"text\":\"document \($0) of many\"}\n" }
        try place.write(lines.joined(), to: "lines.jsonl")
        #expect(try place.sealite("import", "a.db", "lines.jsonl", "--key-file", "key").status == 0)
        #expect(try place.sealite("doc", "delete", "a.db", "d3", "d5", "--key-file", "key").status == 0)
        let ran = try place.sealite("sql", "a.db", Self.downgrade, "--key-file", "key", "--raw")
        #expect(ran.status == 0, "\(ran.err)")
    }

    private func version() throws -> String {
        try place.sealite("sql", "a.db", "PRAGMA user_version", "--key-file", "key", "--csv").out
            .split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test(
        "kills in the middle of the migration leave the old format or the new one, and every document",
        arguments: TestSeed.seeds(Effort.current == .soak ? 2 : 1))
    func kills(seed: UInt64) throws {
        let isLong = Effort.current == .soak
        let count = isLong ? 100_000 : 10_000
        let rounds = isLong ? 30 : 8
        try makeEarlier(documents: count)
        for name in ["a.db", "key"] { try place.write(try place.read(name), to: "kept-\(name)") }
        let begin = ContinuousClock.now
        try #expect(opened(killedAfter: nil) == "2")
        let time = begin.duration(to: .now)
        var versions: [String: Int] = [:]
        for round in 0..<rounds {
            // From before the transaction to after its end: one moment of each section of that time.
            let moment = (Double(round) * 0.618 + Double(seed % 1000) * 0.382).truncatingRemainder(
                dividingBy: 1)
            versions[try opened(killedAfter: time * ((Double(round) + moment) * 1.2 / Double(rounds))), default: 0] += 1
            let listed = try place.sealite("doc", "list", "a.db", "--deleted", "--by-sequence", "--key-file", "key")
            #expect(listed.status == 0, "\(listed.err)")
            #expect(listed.out.split(separator: "\n").count == count)
            #expect(try version() == "2")
        }
        print(
            "migration of \(count) documents, \(time): \(rounds) kills left the formats \(versions), seed \(seed)"
        )
        #expect(versions["1"] != nil && Set(versions.keys).isSubset(of: ["1", "2"]))
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
    }

    /// Opens a copy of the database of format 1 for reading a document, which migrates it.
    ///
    /// - Returns: the format of the file after that.
    private func opened(killedAfter delay: Duration?) throws -> String {
        try place.write(try place.read("kept-a.db"), to: "a.db")
        for suffix in ["-wal", "-shm"] where place.exists("a.db" + suffix) { try place.remove("a.db" + suffix) }
        let child = try ChildProcess(
            [Tool.path, "doc", "get", "a.db", "d7", "--key-file", "key"], folder: place.path,
            files: [(1, "/dev/null", O_WRONLY), (2, "/dev/null", O_WRONLY)])
        if let delay {
            letTimePass(delay, because: "the process is killed at any moment")
            child.send(SIGKILL)
        }
        _ = child.wait()
        return try version()
    }

    @Test("a database of format 1 that may not be written is refused with the reason, and stays as it is")
    func readOnly() throws {
        try makeEarlier(documents: 10)
        let before = try place.read("a.db")
        _ = unsafe chmod(place.file("a.db"), 0o400)
        // Root may write everything, unless it gives that up.
        let asOwner = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        let ran = try place.run(asOwner + [Tool.path, "doc", "list", "a.db", "--key-file", "key", "--json"])
        #expect(ran.status == 78, "\(ran.status) \(ran.err)")
        #expect(ran.err.contains("format 1") && ran.err.contains("copy"), "\(ran.err)")
        _ = unsafe chmod(place.file("a.db"), 0o600)
        #expect(try place.read("a.db") == before)
        #expect(try place.sealite("doc", "list", "a.db", "--key-file", "key").status == 0)
    }
}
