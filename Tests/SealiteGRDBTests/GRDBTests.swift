import Foundation
import GRDB
import SealiteCrypto
import SealiteFile
import SealiteGRDB
import Testing

@Suite("GRDB on a sealed file")
final class GRDBTests {
    private let folder: String
    private let database: SealedDatabase

    init() throws {
        folder = NSTemporaryDirectory() + "sealite-grdb-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        database = try SealedDatabase.create(folder + "/a.db", slot: .rawKey(Self.key(7)))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func key(_ seed: UInt8) -> SecretBytes {
        let bytes = [UInt8](repeating: seed, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    @Test("a queue migrates, writes and reads; the content isn't in the file")
    func queue() throws {
        do {
            let queue = try database.makeQueue()
            var migrator = DatabaseMigrator()
            migrator.registerMigration("first") { db in
                try db.create(table: "note") { table in
                    table.autoIncrementedPrimaryKey("id")
                    table.column("body", .text)
                }
            }
            try migrator.migrate(queue)
            try queue.write { try $0.execute(sql: "INSERT INTO note(body) VALUES (?)", arguments: ["readable words"]) }
            try #expect(queue.read { try String.fetchAll($0, sql: "SELECT body FROM note") } == ["readable words"])
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/a.db"))
        #expect(bytes.range(of: Data("readable words".utf8)) == nil)
        let again = try SealedDatabase.open(folder + "/a.db", key: .rawKey(Self.key(7))).makeQueue()
        try #expect(again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 1)
    }

    @Test("a pool reads in several connections beside its writer, in WAL mode, and rolls back what throws")
    func pool() async throws {
        let pool = try database.makePool()
        try await pool.write { try $0.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY)") }
        try await #expect(pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try await pool.write { try $0.execute(sql: "INSERT INTO note DEFAULT VALUES") }
                        let (count, highest) = try await pool.read { db in
                            (
                                try Int.fetchOne(db, sql: "SELECT count(*) FROM note"),
                                try Int.fetchOne(db, sql: "SELECT max(id) FROM note")
                            )
                        }
                        #expect(count == highest)
                    }
                }
            }
            try await group.waitForAll()
        }
        struct GivenUp: Error {}
        await #expect(throws: GivenUp.self) {
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM note")
                throw GivenUp()
            }
        }
        try await #expect(pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 100)
        try await #expect(pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }

    @Test("GRDB's own backup copies between sealed files, and refuses a plain source")
    func backup() throws {
        let queue = try database.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE note AS SELECT 1 AS a") }
        let other = try SealedDatabase.create(folder + "/b.db", slot: .rawKey(Self.key(9)))
        let copy = try other.makeQueue()
        try queue.backup(to: copy)
        try #expect(copy.read { try Int.fetchOne($0, sql: "SELECT a FROM note") } == 1)
        let plain = try DatabaseQueue(path: folder + "/plain.db")
        try plain.write { try $0.execute(sql: "CREATE TABLE other AS SELECT 2 AS b") }
        #expect(throws: DatabaseError.self) { try plain.backup(to: copy) }
        try #expect(copy.read { try Int.fetchOne($0, sql: "SELECT a FROM note") } == 1)
    }

    @Test("a handle that is locked, and a file that isn't there, fail with the reason")
    func failures() throws {
        let queue = try database.makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE note(a)") }
        database.lock()
        #expect(throws: (any Error).self) { try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1)") } }
        let error = #expect(throws: SealedFileError.self) { try database.makePool() }
        #expect(error?.code == .locked)
    }
}
