import GRDB
import Testing

@testable import SealiteDatabase

@Suite("the cache of queries")
struct CursorCacheTests {
    private let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a"))
    }

    /// Reads the rows of a statement through a cursor, and returns the size of the cache afterwards, in KiB.
    private func cacheSize(after sql: String) throws -> Int64 {
        let cursor = try test.database.openCursor(sql) { _ in }
        #expect(try !cursor.fetch { _ in false })
        let connection = try test.database.cursors.take()
        defer { test.database.cursors.giveBack(connection) }
        return try connection.queue.unsafeRead { -(try $0.integer("PRAGMA cache_size")) }
    }

    @Test("the first query that reads documents once has a small cache, and the second a large one")
    func growth() throws {
        #expect(try cacheSize(after: "SELECT id FROM documents_1 LIMIT 10") == 4096)
        #expect(try cacheSize(after: "SELECT id FROM documents_1") == 48 * 1024)
    }

    @Test(
        "a first query that sorts, groups or looks up documents has a large cache",
        arguments: [
            "SELECT id FROM documents_1 ORDER BY revision", "SELECT flags, count(*) FROM documents_1 GROUP BY flags",
            "SELECT a.id FROM documents_1 AS a JOIN documents_1 AS b ON a.number = b.number",
            "SELECT id FROM documents_1 WHERE number IN (SELECT 1)", "SELECT name FROM collections",
        ])
    func sorting(sql: String) throws {
        #expect(try cacheSize(after: sql) == 48 * 1024)
    }

    @Test("a cache that is smaller than that for the first query stays so")
    func smallCache() throws {
        var configuration = DatabaseConfiguration()
        configuration.queryCacheByteCount = 1 << 20
        let small = try test.reopened(configuration)
        let cursor = try small.database.openCursor("SELECT id FROM documents_1 ORDER BY id") { _ in }
        cursor.end()
        let connection = try small.database.cursors.take()
        defer { small.database.cursors.giveBack(connection) }
        #expect(try connection.queue.unsafeRead { try $0.integer("PRAGMA cache_size") } == -1024)
    }
}
