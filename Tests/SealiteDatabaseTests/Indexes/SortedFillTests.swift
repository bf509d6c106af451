import Foundation
import GRDB
import SealiteFunctions
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("filling indexes in the order of keys")
struct SortedFillTests {
    let stage: IndexStage

    init() throws { stage = try IndexStage() }

    /// Saves documents with keys of many lengths and beginnings, some of them equal, some missing, and deletes a few.
    private func save(_ count: Int) throws {
        var random = SeededRandom(seed: 50)
        try stage.test.database.write { transaction in
            for number in 0..<count {
                let document = MutableDocument(id: "d\(number)")
                if number % 5 > 0 { document.setInt(Int.random(in: -50...50, using: &random), forKey: "age") }
                let name = String(repeating: "name", count: .random(in: 0...6, using: &random))
                document.setString(name + "\(number % 9)", forKey: "name")
                let tags = (0..<Int.random(in: 0...4, using: &random)).map { "tag \($0 % 3)" }
                document.setArray(ArrayObject(tags.map { .string($0) }), forKey: "tags")
                try transaction.save(document, in: stage.collection)
            }
            for number in stride(from: 3, to: count, by: 17) {
                try transaction.delete(id: "d\(number)", in: stage.collection)
            }
        }
    }

    private static let definitions: [KeyDefinition] = [
        KeyDefinition(keys: [.path([.member("age")], .queries)]),
        KeyDefinition(keys: [.path([.member("name")], .queries)]),
        KeyDefinition(keys: [.path([.member("name")], .mongo), .path([.member("age")], .mongo)]),
        KeyDefinition(
            keys: [.sql("CAST(upper(body_value(body, 'name')) AS BLOB)")],
            condition: "body_type(body, 'age') = 'number'", source: "upper(name)"),
        KeyDefinition(levels: [[.member("tags")]], keys: [.path([], .queries)]),
    ]

    @Test(
        "an index has the same entries whether it is filled before or after the documents, at once or in parts",
        arguments: definitions.indices)
    func entries(_ index: Int) throws {
        let definition = Self.definitions[index]
        try stage.collection.createIndex("before", definition)
        try save(400)
        let expected = try stage.entries("before")
        #expect(expected.count > 100)
        try stage.collection.createIndex("after", definition)
        #expect(try stage.entries("after") == expected)
        for limit in [1, 1_000, 10_000] {
            let record = try #require(try stage.collection.indexRecords().first { $0.name == "after" })
            let table = try #require(record.table())
            try stage.test.database.write { _ in
                try stage.test.database.reading { connection in
                    try IndexTables(connection: connection, collection: 1, entryByteLimit: limit).build(table) { _ in }
                }
            }
            #expect(try stage.entries("after") == expected)
        }
        #expect(try stage.findings() == [])
    }

    @Test("entries are inserted once if they fit in memory, in their order, and again each time they reach the limit")
    func parts() throws {
        try stage.test.database.writer.withoutTransaction { connection in
            try connection.run("CREATE TEMP TABLE inserted (key BLOB NOT NULL, number INTEGER NOT NULL)")
            for (limit, most) in [(SortedEntries.byteLimit, 1), (10_000, 40)] {
                var counts: [Int] = []
                let entries = SortedEntries(keyCount: 1, hasPosition: false, byteLimit: limit) { entries in
                    counts.append(entries.count)
                    let insert = try PreparedStatement(
                        connection, "INSERT INTO inserted SELECT c0, c1 FROM index_entries(?1)")
                    insert.bind(entries, at: 1)
                    try insert.run()
                }
                let collect = try PreparedStatement(
                    connection,
                    """
                    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                    SELECT index_collect(?1, CAST((i * 7919) % 1000 AS BLOB), i) FROM n
                    """)
                collect.bind(entries, at: 1)
                try collect.run()
                try entries.flush()
                #expect(counts.reduce(0, +) == 2000 && counts.count <= most && (most == 1) == (counts.count == 1))
                let keys = try connection.rows("SELECT key, number FROM inserted ORDER BY rowid") {
                    ($0.bytes(at: 0) ?? [], $0.int64(at: 1))
                }
                for (first, second) in zip(keys, keys.dropFirst()) where most == 1 {
                    #expect(
                        first.0.lexicographicallyPrecedes(second.0) || first.0 == second.0 && first.1 < second.1)
                }
                try connection.run("DELETE FROM inserted")
            }
            try connection.run("DROP TABLE inserted")
        }
    }

    @Test("without the object that only this library can pass, collecting fails and there are no entries")
    func pointers() throws {
        try stage.test.database.writer.withoutTransaction { connection in
            for value in ["NULL", "1", "'x'", "x'00'"] {
                #expect(throws: (any Error).self) { try connection.run("SELECT index_collect(\(value), x'00', 1)") }
                let count = try connection.integer("SELECT count(*) FROM index_entries(\(value))")
                #expect(count == 0)
            }
        }
    }

    @Test("an error while entries are inserted is that of the statement that collects them")
    func failure() throws {
        struct Full: Error {}
        try stage.test.database.writer.withoutTransaction { connection in
            let entries = SortedEntries(keyCount: 1, hasPosition: false, byteLimit: 1) { _ in throw Full() }
            let collect = try PreparedStatement(connection, "SELECT index_collect(?1, x'00', 1)")
            collect.bind(entries, at: 1)
            var isRefused = false
            do { try collect.run() } catch is SealiteDatabase.DatabaseError { isRefused = true }
            #expect(isRefused)
            #expect(entries.error is Full)
        }
    }
}
