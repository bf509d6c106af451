import Foundation
import SealiteDatabase
import Testing

@testable import SealiteQuery

@Suite("INSERT, and changes in transactions")
struct InsertTests {
    let stage: ChangeStage

    init() throws { stage = try ChangeStage() }

    @Test("INSERT stores objects under keys, or under new ids")
    func values() throws {
        let rows = try stage.rows(
            "INSERT INTO _ AS x (KEY, VALUE) VALUES ('k1', {'n': 1e400}), ($key, $value) RETURNING META(x).id, n",
            Parameters().setString("k2", forName: "key").setDictionary(["n": [true, nil]], forName: "value"))
        #expect(rows == [#"{"id":"k1","n":1e400}"#, #"{"id":"k2","n":[true,null]}"#])
        let result = try stage.run("INSERT INTO _ (VALUE) VALUES ({'z': 1}), ({'z': 2}) RETURNING META().id, z")
        #expect(result.changedDocumentCount == 2)
        let made = result.allResults()
        #expect(made.map { $0.int(at: 1) } == [1, 2] && Set(made.compactMap { $0.string(at: 0) }).count == 2)
        try stage.test.collection.delete(id: "a")
        try stage.run("INSERT INTO _ (KEY, VALUE) VALUES ('a', {'back': true})")
        #expect(try stage.json("a") == #"{"back":true}"# && stage.generation("a") == "3")
        #expect(try stage.test.database.integrityFindings() == [])
    }

    @Test("INSERT … SELECT stores a document for each row, whose columns KEY and VALUE refer to")
    func rows() throws {
        let archive = try stage.test.database.createCollection(name: "archive")
        let result = try stage.run(
            """
            INSERT INTO archive (KEY 'old-' || id, VALUE {'number': n, 'all': doc}) \
            SELECT META().id, n, d AS doc FROM _ AS d WHERE n <= 2 ORDER BY n DESC
            """)
        #expect(result.changedDocumentCount == 2)
        #expect(
            try archive.document(id: "old-b")?.toJSON()
                == #"{"number":2,"all":{"n":2,"big":12345678901234567890.5}}"#)
        try stage.run("INSERT INTO archive (VALUE _) SELECT * FROM _ WHERE n > 3")
        #expect(try stage.rows("SELECT VALUE n FROM archive WHERE n IS VALUED ORDER BY n") == ["4", "5"])
        // The rows are read before the first is stored.
        #expect(try stage.run("INSERT INTO _ (VALUE {'copy': n}) SELECT n FROM _").changedDocumentCount == 5)
    }

    @Test(
        "INSERT refuses an id that is there, keys that are no strings and values that are no objects",
        arguments: [
            ("(KEY, VALUE) VALUES ('new', {}), ('a', {})", DatabaseError.Code.conflict, "document \"a\" already"),
            ("(KEY, VALUE) VALUES ('twice', {}), ('twice', {})", .conflict, "document \"twice\" already"),
            ("(KEY, VALUE) VALUES ('new', {}), (5, {})", .badDocumentID, "string"),
            ("(KEY, VALUE) VALUES (MISSING, {})", .badDocumentID, "string"),
            ("(KEY, VALUE) VALUES ('', {})", .badDocumentID, "1 to 240 bytes"),
            (
                "(KEY, VALUE) VALUES ('new', {}), ('n', [1])", .invalidParameter,
                "an object: that of the document \"n\""
            ),
            ("(VALUE) VALUES ({}), ($absent)", .invalidParameter, "object"),
            ("(VALUE) VALUES ({'_rev': 'x'})", .invalidParameter, "_rev"),
            ("(KEY id, VALUE {}) SELECT META().id AS id FROM _ ORDER BY id DESC", .conflict, "document \"e\" already"),
            ("(VALUE) VALUES ({'a': n})", .invalidQuery, "'n' is unknown"),
            ("(VALUE {'a': x}) SELECT n FROM nothing", .invalidQuery, "no such collection \"nothing\""),
        ])
    func refusals(rest: String, code: DatabaseError.Code, part: String) throws {
        let error = try stage.error("INSERT INTO _ \(rest)")
        #expect(error?.code == code && error?.reason.contains(part) == true, "\(error?.reason ?? "runs")")
    }

    @Test("a statement that inserts thousands of documents is one transaction")
    func many() throws {
        let rows = (0..<20_000).map { "('m\($0)', {'n': \($0)})" }.joined(separator: ", ")
        #expect(try stage.error("INSERT INTO _ (KEY, VALUE) VALUES \(rows), ('m5', {})")?.code == .conflict)
        #expect(try stage.run("INSERT INTO _ (KEY, VALUE) VALUES \(rows)").changedDocumentCount == 20_000)
        #expect(try stage.run("UPDATE _ SET n = 0 WHERE n > 100").changedDocumentCount == 20_000 - 101)
    }

    @Test(
        "a statement is a part of the transaction that it is run in, and only its own changes are undone when it fails")
    func transactions() throws {
        let database = stage.test.database
        try database.write { transaction in
            try transaction.save(MutableDocument(id: "new", data: ["n": 50]), in: stage.test.collection)
            #expect(try stage.run("UPDATE _ SET n = n + 1 WHERE n >= 5").changedDocumentCount == 2)
            #expect(throws: DatabaseError(.conflict, "")) {
                try stage.run("INSERT INTO _ (KEY, VALUE) VALUES ('x', {}), ('a', {})")
            }
            #expect(try stage.json("x") == nil)
        }
        #expect(try stage.rows("SELECT VALUE n FROM _ WHERE n > 5 ORDER BY n") == ["6", "51"])
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.write { _ in
                try stage.run("DELETE FROM _")
                throw Stop()
            }
        }
        #expect(try stage.test.collection.count == 6)
    }

    @Test("a snapshot refuses statements, and a statement awaited runs")
    func snapshot() async throws {
        let query = try stage.test.database.createQuery("DELETE FROM _ WHERE n = 1")
        let error = #expect(throws: DatabaseError.self) { try stage.test.database.read { try query.execute() } }
        #expect(error?.code == .invalidParameter && error?.reason.contains("snapshot") == true)
        #expect(try await query.execute().changedDocumentCount == 1)
        #expect(try stage.run("SELECT n FROM _").changedDocumentCount == 0)
    }

    @Test("blobs among the parameters are stored, and those in documents stay")
    func blobs() throws {
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try stage.run("UPDATE _ SET files.one = $blob WHERE n = 1", Parameters().setBlob(blob, forName: "blob"))
        try stage.run("UPDATE _ SET two = files.one, n = 0 UNSET files WHERE n = 1")
        #expect(try stage.test.collection.document(id: "a")?.blob(forKey: "two")?.content == Data("hello".utf8))
        #expect(try stage.test.database.integrityFindings() == [])
    }

    @Test(
        "statements that can't be are refused before they run",
        arguments: [
            ("UPDATE _ SET _id = 'x'", "'_id' belongs to META"), ("UPDATE _ AS d SET d._sequence = 1", "'_sequence'"),
            ("UPDATE _ UNSET _id", "'_id' belongs to META"), ("UPDATE _ SET META().id = 'x'", "line 1, column"),
            ("UPDATE _ AS d SET d = {}", "'d' is a whole document"), ("UPDATE nothing SET a = 1", "no such collection"),
            ("INSERT INTO nothing (VALUE) VALUES ({})", "no such collection"),
            ("DELETE FROM nothing", "no such collection"),
            ("UPDATE _ SET a = COUNT(*)", "COUNT() isn't allowed here"), ("DELETE FROM _ RETURNING MAX(n)", "MAX()"),
            ("DELETE FROM _ RETURNING other.n AS n, n AS n", "duplicate alias"), ("DELETE FROM _ LIMIT 1.5", "LIMIT"),
            ("UPDATE _ SET a = ROW_NUMBER() OVER ()", "ROW_NUMBER() isn't allowed here"),
            ("UPDATE _ WHERE n = 1", "expected"),
        ])
    func bad(text: String, part: String) throws {
        let error = #expect(throws: DatabaseError.self) { try stage.test.database.createQuery(text as String) }
        #expect(error?.code == .invalidQuery && error?.reason.contains(part) == true, "\(error?.reason ?? "runs")")
        #expect(try stage.test.collection.count == 5)
    }
}
