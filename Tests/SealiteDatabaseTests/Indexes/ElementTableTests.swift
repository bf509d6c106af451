import Foundation
import GRDB
import SealiteGRDB
import Testing

@testable import SealiteDatabase

@Suite("array indexes kept by the door for rows, and by triggers")
struct ElementTableTests {
    let stage: IndexStage
    private let collection: SealiteDatabase.Collection

    init() throws {
        stage = try IndexStage()
        collection = stage.collection
    }

    private func save(_ id: String, _ json: String) throws {
        try collection.save(document: MutableDocument(id: id, data: try DictionaryObject(json: json)))
    }

    private func change(_ id: String, _ json: String) throws {
        let document = try #require(try collection.document(id: id)).toMutable()
        for (name, value) in try DictionaryObject(json: json).entries { document.setValue(value, forKey: name) }
        try collection.save(document: document)
    }

    private static let tags = KeyDefinition(levels: [[.member("tags")]])
    private static let phones = KeyDefinition(
        levels: [[.member("contacts")], [.member("phones")]],
        keys: [.path([.member("type")], .queries), .sql("query_key(query_upper(query_value(value, 'number')))")])

    /// The rows that the door writes with a change, the document's own among them.
    private func rowCount(_ change: () throws -> Void) throws -> Int {
        let changes = { try stage.test.database.writer.withoutTransaction { $0.totalChangesCount } }
        let before = try changes()
        try change()
        return try changes() - before
    }

    @Test("an element of an array is an entry with its place; what is no array counts as its own element without place")
    func elements() throws {
        try save("a", #"{"tags": ["b", "a", "b", null, true, [1], {"x": 1}]}"#)
        try collection.createIndex("tags", Self.tags)
        try save("scalar", #"{"tags": "b"}"#)
        try save("null", #"{"tags": null}"#)
        try save("object", #"{"tags": {"x": "b", "y": 1}}"#)
        try save("none", #"{"other": []}"#)
        try save("empty", #"{"tags": []}"#)
        let entries = try stage.entries("tags")
        #expect(
            entries == [
                "20 1 03", "20 3 ", "40 1 04", "50c014 4 01", "606100 1 01", "606200 1 00", "606200 1 02",
                "606200 2 ", "606200 4 00", "7050c01400 1 05", "8001780050c014 1 06",
            ])
        #expect(try stage.findings() == [])
    }

    @Test("elements of arrays in elements have the places of both")
    func levels() throws {
        try collection.createIndex("phones", Self.phones)
        try save(
            "a",
            #"""
            {"contacts": [{"phones": [{"type": "home", "number": "a"}, {"type": "work", "number": "b"}]}, {}, 7,
              {"phones": {"type": "home", "number": "c"}}, {"phones": []}, {"phones": [{"number": 1}]}]}
            """#)
        let entries = try stage.entries("phones")
        #expect(
            entries == [
                "10 10 1 0300", "10 10 1 0301", "10 20 1 0500", "60686f6d6500 604100 1 0000",
                "60776f726b00 604200 1 0001",
            ])
        #expect(try stage.findings() == [])
    }

    @Test("only the entries that changed are written")
    func unchangedEntries() throws {
        try collection.createIndex("tags", Self.tags)
        let tags = (0..<300).map { "\"t\($0)\"" }.joined(separator: ",")
        #expect(try rowCount { try save("a", "{\"tags\":[\(tags)]}") } == 301)
        #expect(try rowCount { try change("a", #"{"other": 1}"#) } == 1)
        #expect(try rowCount { try change("a", "{\"tags\":[\(tags),\"last\"]}") } == 2)
        #expect(try rowCount { try change("a", "{\"tags\":[\"first\",\(tags.dropFirst(5)),\"last\"]}") } == 3)
        #expect(try rowCount { try change("a", "{\"tags\":[\"first\"]}") } == 301)
        #expect(try rowCount { try collection.delete(id: "a") } == 2)
        #expect(try stage.entries("tags") == [] && stage.findings() == [])
    }

    @Test("positions have the order of places in long arrays")
    func places() throws {
        try collection.createIndex("tags", Self.tags)
        try save("a", "{\"tags\":[\(Array(repeating: "1", count: 70_000).joined(separator: ","))]}")
        let entries = try stage.entries("tags")
        #expect(entries.count == 70_000 && entries[239] == "50c014 1 ef" && entries[240] == "50c014 1 f0f0")
        #expect(entries[256] == "50c014 1 f10100" && entries[69_999] == "50c014 1 f201116f")
        #expect(try stage.findings() == [])
    }

    @Test("tombstones, purged and expired documents have no entries, and a resurrected one has them again")
    func removal() throws {
        try collection.createIndex("tags", Self.tags)
        for id in ["a", "b", "c"] { try save(id, #"{"tags": ["x"]}"#) }
        try collection.delete(id: "a")
        try collection.purge(id: "b")
        try collection.setDocumentExpiration(id: "c", expiration: Date(timeIntervalSince1970: 1000))
        try stage.test.database.purgeExpiredDocuments()
        #expect(try stage.entries("tags") == [])
        try save("a", #"{"tags": ["y"]}"#)
        #expect(try stage.entries("tags") == ["607900 1 00"] && stage.findings() == [])
    }

    @Test("rows that another program inserts, changes, moves and deletes leave the index whole")
    func triggers() throws {
        try collection.createIndex("tags", Self.tags)
        try collection.createIndex("phones", Self.phones)
        try save("a", #"{"tags": ["x", "y", "x"], "contacts": [{"phones": [{"type": "home"}]}]}"#)
        try save("b", #"{"tags": ["x", "z", "x"], "contacts": []}"#)
        let columns = "number, id, sequence, flags, revision, body"
        for statement in [
            "INSERT INTO documents_1 (\(columns)) SELECT 10, 'd', 10, flags, revision, body FROM documents_1 WHERE id = 'a'",
            "UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'a') WHERE id = 'b'",
            "UPDATE documents_1 SET number = 20 WHERE id = 'a'",
            "UPDATE documents_1 SET number = -number, flags = 1, body = NULL WHERE id = 'b'",
            "UPDATE documents_1 SET body = x'ff' WHERE id = 'a'", "UPDATE documents_1 SET expires = 1",
        ] {
            try stage.foreign(statement)
            // The damaged body is a finding of its own.
            #expect(try stage.findings().filter { $0.contains("index") } == [], "\(statement)")
        }
        #expect(
            try stage.entries("tags")
                == ["607800 3 00", "607800 3 02", "607900 3 01"].map { $0.replacing(" 3 ", with: " 10 ") })
        try stage.foreign("DELETE FROM documents_1")
        #expect(try stage.entries("tags") == [] && stage.entries("phones") == [])
    }

    @Test("a trigger writes only the entries that changed")
    func triggeredWrites() throws {
        try collection.createIndex("tags", Self.tags)
        try save("a", #"{"tags": ["x", "y", "z"]}"#)
        try save("b", #"{"tags": ["x", "w", "z"]}"#)
        let queue = try stage.test.file.makeQueue()
        try queue.write { connection in
            let before = connection.totalChangesCount
            try connection.execute(
                sql: "UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'b') WHERE id = 'a'")
            #expect(connection.totalChangesCount - before == 3)
        }
        try queue.close()
        #expect(try stage.findings() == [])
    }

    @Test("a transaction that is given up leaves the entries as they were")
    func rollback() throws {
        struct Stop: Error {}
        try collection.createIndex("tags", Self.tags)
        try save("a", #"{"tags": ["x"]}"#)
        #expect(throws: Stop.self) {
            try stage.test.database.write { _ in
                try change("a", #"{"tags": ["y", "z"]}"#)
                throw Stop()
            }
        }
        #expect(try stage.entries("tags") == ["607800 1 00"] && stage.findings() == [])
    }

    @Test(
        "the integrity check finds a stale index, and reindexing repairs it",
        arguments: [
            "UPDATE elements_1 SET key1 = x'607a00' WHERE document = 1", "DELETE FROM elements_1 WHERE document = 1",
            "INSERT INTO elements_1 VALUES (x'10', 99, x'00')",
            "UPDATE elements_1 SET position = x'05' WHERE position = x'01'", "DROP TRIGGER elements_1_update",
        ])
    func stale(edit: String) throws {
        try collection.createIndex("tags", Self.tags)
        try save("a", #"{"tags": ["x", "y"]}"#)
        #expect(try stage.findings() == [])
        try stage.foreign(edit)
        #expect(try stage.findings().contains { $0.contains("index \"tags\"") })
        try stage.test.database.performMaintenance(type: .reindex)
        #expect(try stage.findings() == [] && stage.entries("tags") == ["607800 1 00", "607900 1 01"])
    }

    @Test("an index that isn't whole is built when the database is opened, in batches with progress")
    func opening() throws {
        try save("a", #"{"tags": ["x", "y"]}"#)
        try collection.createIndex("tags", Self.tags)
        try stage.foreign("UPDATE indexes SET versions = '{\"keys\":0}'; DROP TABLE elements_1")
        let reopened = try stage.test.reopened()
        #expect(try reopened.database.integrityFindings() == [] && stage.entries("tags").count == 2)
    }

    @Test(
        "a definition that this program can't keep makes the collection read-only",
        arguments: [
            "kind = 'value'", #"definition = '{"keys":[{"order":"queries","path":[]}]}'"#,
            #"definition = '{"array":[],"keys":[{"order":"queries","path":[]}]}'"#,
            #"definition = '{"array":[[]],"keys":[{"order":"queries","path":[]}]}'"#,
            #"definition = '{"array":[["a",-1]],"keys":[{"order":"queries","path":[]}]}'"#,
            #"definition = '{"array":[["a"]],"keys":[{"order":"mongo","path":[]}]}'"#,
            #"definition = '{"array":[["a"]],"keys":[{"order":"queries","path":[]}],"where":"1"}'"#,
            #"definition = '{"array":"a","keys":[{"order":"queries","path":[]}]}'"#,
        ])
    func unknown(edit: String) throws {
        try save("a", #"{"tags": ["x", "y"]}"#)
        try collection.createIndex("tags", Self.tags)
        try stage.foreign("UPDATE indexes SET \(edit)")
        let reopened = try stage.test.reopened()
        #expect(code { try reopened.collection.save(document: MutableDocument(id: "b")) } == .databaseTooNew)
        #expect(try reopened.collection.document(id: "a") != nil)
    }

    @Test("an index that can't be rebuilt makes the collection read-only")
    func unbuildable() throws {
        try save("a", #"{"tags": ["x", "y"]}"#)
        try collection.createIndex("tags", Self.tags)
        try stage.foreign(
            #"UPDATE indexes SET definition = '{"array":[["tags"]],"keys":[{"sql":"json(''x'')"}]}', state = 1"#)
        let reopened = try stage.test.reopened()
        #expect(code { try reopened.collection.save(document: MutableDocument(id: "b")) } == .indexNotCurrent)
        #expect(try reopened.collection.document(id: "a") != nil)
    }

    @Test("an index of another kind replaces one of its name, and a deleted one leaves no table or trigger")
    func catalogue() throws {
        try save("a", #"{"tags": ["x", "y"]}"#)
        let names = {
            try stage.test.database.reading { try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema") }
        }
        let before = try names()
        try collection.createIndex("tags", KeyDefinition(keys: [.path([.member("tags")], .queries)]))
        try collection.createIndex("tags", Self.tags)
        try collection.createIndex("tags", Self.tags)
        #expect(try collection.indexRecords().map(\.kind) == [.array] && stage.entries("tags").count == 2)
        try collection.deleteIndex("tags")
        #expect(try names() == before)
    }
}
