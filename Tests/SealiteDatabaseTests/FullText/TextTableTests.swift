import CSQLite
import Foundation
import GRDB
import SealiteFunctions
import SealiteGRDB
import Testing

@testable import SealiteDatabase

/// A database with a full-text index over two members, one with a condition and one without stems.
struct TextStage {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    static func settings(_ text: String) -> WordSettings { (try? WordSettings(text: text)) ?? WordSettings() }

    static let definitions: [(String, TextDefinition)] = [
        (
            "words",
            TextDefinition(
                texts: [
                    .init(name: "title", sql: "query_value(body, 'title')"),
                    .init(name: "body", sql: "query_value(body, 'body')"),
                ], settings: settings("language english accents ignore stopwords english"))
        ),
        (
            "some",
            TextDefinition(
                texts: [.init(name: "body", sql: "query_value(body, 'body')")],
                settings: settings("stopwords it's,o'clock,"),
                condition: "body_type(body, 'age') = 'number'")
        ),
    ]

    func makeIndexes() throws {
        for (name, definition) in Self.definitions { try collection.createIndex(name, definition) }
    }

    @discardableResult
    func save(_ id: String, _ body: String?, title: String = "A title", age: Int? = nil) throws -> Document {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setString(title, forKey: "title")
        if let body { document.setString(body, forKey: "body") } else { document.removeValue(forKey: "body") }
        if let age { document.setInt(age, forKey: "age") } else { document.removeValue(forKey: "age") }
        return try collection.save(document: document)
    }

    /// The ids of the documents that an expression of FTS5 finds.
    func find(_ expression: String, _ index: Int = 1) throws -> [String] {
        try test.database.reading { connection in
            try String.fetchAll(
                connection,
                sql: """
                    SELECT id FROM documents_1 WHERE number IN (SELECT rowid FROM text_\(index) WHERE text_\(index) MATCH ?) ORDER BY id
                    """, arguments: [expression])
        }
    }

    func findings() throws -> [String] { try test.database.integrityFindings() }

    /// Runs SQL on a connection that the library knows nothing of.
    func foreign(_ sql: String, triggers: Bool = true) throws {
        let queue = try test.file.makeQueue()
        try queue.writeWithoutTransaction { connection in
            if !triggers {
                let code = unsafe sealite_configure(connection.sqliteConnection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
                #expect(code == SQLITE_OK)
            }
            try connection.execute(sql: sql)
        }
        try queue.close()
    }
}

@Suite("the table of a full-text index")
struct TextTableTests {
    let stage: TextStage

    init() throws {
        stage = try TextStage()
        try stage.save("a", "The quick brown fox jumps over the lazy dog", title: "Running", age: 1)
        try stage.save("b", "A dog ran; dogs were running", title: "Dogs")
        try stage.save("c", "Café culture", age: 3)
        try stage.makeIndexes()
    }

    @Test("a check tells how far it is in the index too, whose words are most of the work")
    func checkProgress() throws {
        for number in 0..<2_500 { try stage.save("\(number)", "one two three four five six seven eight nine ten") }
        try stage.makeIndexes()
        var told: [DocumentCheckProgress] = []
        let report = try SealiteDatabase.Database.checkDocuments(in: stage.test.file) { told.append($0) }
        #expect(report?.findings == [])
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.rowCount <= $1.rowCount })
        let total = try #require(told.first?.totalRowCount)
        #expect(told.allSatisfy { $0.totalRowCount == total && $0.rowCount <= total } && total > 2 * 2_500)
        // Of the words of the table there are as many as of the documents: both halves of the work report.
        let ofIndex = told.filter { $0.rowCount > 2_500 }
        #expect(ofIndex.count > 10)
        #expect(try #require(told.last).rowCount > total * 8 / 10)
    }

    @Test("documents are found by the words they have, through every change")
    func changes() throws {
        #expect(try stage.find("dog") == ["a", "b"] && stage.find("cafe") == ["c"])
        #expect(try stage.find("runn*") == ["a", "b"] && stage.find("text1 : run") == ["a"])
        #expect(try stage.find("dog", 2) == ["a"] && stage.find("the", 2) == ["a"])
        #expect(try stage.findings() == [])
        try stage.save("b", "cats")
        #expect(try stage.find("dog") == ["a"] && stage.find("cat") == ["b"])
        try stage.collection.delete(id: "a")
        try stage.save("d", "A cat", age: 4)
        try stage.collection.purge(id: "c")
        #expect(try stage.find("dog OR cafe") == [] && stage.find("cat") == ["b", "d"])
        #expect(try stage.find("cat", 2) == ["d"])
        try stage.save("a", "back again", age: 1)
        try stage.save("b", "cats", age: 2)
        #expect(try stage.find("back") == ["a"] && stage.find("cats", 2) == ["b"])
        #expect(try stage.findings() == [])
    }

    @Test("a transaction writes one segment of words, however many documents it saves")
    func segments() throws {
        func count() throws -> Int {
            try stage.test.database.reading { connection in
                try Int.fetchOne(connection, sql: "SELECT count(DISTINCT segid) FROM text_1_idx") ?? 0
            }
        }
        let before = try count()
        try stage.save("a", "another text")
        #expect(try count() == before + 1)
        for round in 1...2 {
            try stage.test.database.write { _ in
                for index in 0..<50 { try stage.save("n\(index)", "text number \(index) of round \(round)") }
            }
            #expect(try count() == before + 1 + round)
        }
        // The words are the same, and nothing is written.
        try stage.save("a", "Another, TEXT!")
        #expect(try count() == before + 3)
        #expect(try stage.find("another + text") == ["a"] && stage.findings() == [])
        try stage.save("a", "Text another")
        #expect(try count() == before + 4 && stage.find("another + text") == [] && stage.findings() == [])
    }

    @Test("a connection that knows nothing of indexes keeps them by triggers, and FTS5 agrees")
    func foreign() throws {
        try stage.foreign(
            """
            UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'c') WHERE id = 'a';
            DELETE FROM documents_1 WHERE id = 'b';
            INSERT INTO documents_1 (number, id, sequence, flags, revision, body)
                SELECT 9, 'n', 99, 0, revision, body FROM documents_1 WHERE id = 'c';
            INSERT INTO text_1 (text_1, rank) VALUES ('integrity-check', 1);
            """)
        #expect(
            try stage.find("cafe") == ["a", "c", "n"] && stage.find("dog") == []
                && stage.find("culture", 2) == ["a", "c", "n"])
        #expect(try stage.findings() == [])
        try stage.foreign("UPDATE documents_1 SET flags = 1, number = -number, body = NULL WHERE id = 'n'")
        #expect(try stage.find("cafe") == ["a", "c"] && stage.findings() == [])
    }

    @Test(
        "the integrity check finds a stale or edited index, and reindexing repairs it",
        arguments: [
            "UPDATE documents_1 SET body = x'0c' WHERE id = 'b'", "DELETE FROM documents_1 WHERE id = 'b'",
            "INSERT INTO text_1 (rowid, text1) VALUES (77, 'other')", "DELETE FROM text_1_docsize WHERE id = 2",
            "UPDATE text_1_docsize SET sz = x'0909' WHERE id = 2", "DROP TRIGGER text_1_update",
            "DELETE FROM text_1_data WHERE id > 10",
            "UPDATE text_1_data SET block = x'00' WHERE id > 10",
            "UPDATE text_1_data SET block = CAST(replace(block, 'brown', 'crown') AS BLOB) WHERE id > 10",
            "UPDATE text_1_data SET block = randomblob(length(block)) WHERE id > 10", "DROP VIEW text_rows_1",
            "DELETE FROM text_1_config", "DELETE FROM text_1_data",
            "UPDATE text_1_data SET block = x'FF' WHERE id = 10",
            "DROP TABLE text_1_idx", "DROP TABLE text_1_config", "UPDATE text_1_config SET v = 99",
        ])
    func stale(edit: String) throws {
        #expect(try stage.findings() == [])
        try stage.foreign(edit, triggers: false)
        let findings = try stage.findings()
        #expect(
            findings.contains { $0.contains("index \"words\"") } && !findings.contains { $0.contains("crown") },
            "\(findings)")
        try stage.test.database.performMaintenance(type: .reindex)
        #expect(try stage.findings() == [])
        try stage.save("b", "fresh words")
        #expect(try stage.findings() == [] && stage.find("fresh") == ["b"])
    }

    @Test(
        "an index that another version of a stemmer or of tables built is built anew at opening",
        arguments: ["stemmer", "words", "texts"])
    func versions(component: String) throws {
        try stage.foreign(
            "UPDATE indexes SET versions = json_set(versions, '$.\(component)', 0) WHERE number = 1; DELETE FROM documents_1 WHERE id = 'b'",
            triggers: false)
        #expect(code { try stage.save("d", "x") } == .indexNotCurrent)
        let reopened = try stage.test.reopened()
        #expect(try reopened.database.integrityFindings() == [])
        #expect(try reopened.collection.indexRecords().allSatisfy(\.isCurrent))
    }

    @Test(
        "a definition that this program can't keep makes its collection read-only",
        arguments: [
            #"{"texts":[],"tokenizer":""}"#, #"{"texts":[{"name":"a","sql":"1"}],"tokenizer":"language x"}"#, "{}",
            #"{"texts":[{"name":"a","sql":"1"}],"tokenizer":"","more":1}"#,
            #"{"texts":[{"name":"a","sql":"1"}],"tokenizer":"stopwords a'b,"}"#,
        ])
    func unknown(definition: String) throws {
        try stage.foreign("UPDATE indexes SET definition = '\(definition.replacing("'", with: "''"))' WHERE number = 1")
        #expect(code { try stage.save("d", "x") } == .databaseTooNew)
        #expect(try stage.collection.document(id: "a") != nil)
    }

    @Test("building an index over twice as many documents reads twice as much")
    func buildingGrows() throws {
        func steps(documents count: Int) throws -> Int {
            let stage = try TextStage()
            try stage.test.database.write { _ in
                for number in 0..<count { try stage.save("\(number)", "some words", age: 1) }
            }
            return try stage.test.database.writer.perform(stage.test.database) { transaction in
                try StatementWork.counted(transaction.connection) {
                    try stage.collection.createIndex("new", TextStage.definitions[1].1)
                }.steps(of: "documents_1")
            }
        }
        // Several batches, which read the documents of one batch each.
        let (few, many) = (try steps(documents: 2_000), try steps(documents: 4_000))
        #expect(few > 2_000 && many < 21 * few / 10, "\(few) and \(many) steps")
    }

    @Test("progress is reported, and giving up changes nothing")
    func progress() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try stage.collection.createIndex("new", TextStage.definitions[0].1) { _ in throw Stop() }
        }
        #expect(try stage.collection.indexRecords().map(\.name) == ["words", "some"] && stage.findings() == [])
        try stage.collection.deleteIndex("words")
        try stage.collection.deleteIndex("some")
        let left = try stage.test.database.reading { connection in
            try String.fetchAll(
                connection, sql: "SELECT name FROM sqlite_schema WHERE name LIKE '%text_%' OR name LIKE '%guard%'")
        }
        #expect(left == [])
    }
}
