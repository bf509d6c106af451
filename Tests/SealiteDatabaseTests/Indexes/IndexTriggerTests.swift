import GRDB
import Testing

@testable import SealiteDatabase

@Suite("value indexes kept by triggers, for writers that know nothing of them")
struct IndexTriggerTests {
    let stage: IndexStage

    init() throws {
        stage = try IndexStage()
        for (index, id) in ["a", "b", "c"].enumerated() { try stage.save(id, age: index + 1) }
        try stage.makeIndexes()
    }

    private let columns = "number, id, sequence, flags, revision, body"

    @Test("rows that another program inserts, changes, moves and deletes leave every index whole")
    func writes() throws {
        let statements = [
            "INSERT INTO documents_1 (\(columns)) SELECT 10, 'd', 10, flags, revision, body FROM documents_1 WHERE id = 'c'",
            "UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'a') WHERE id = 'b'",
            "UPDATE documents_1 SET number = 20 WHERE id = 'a'",
            "UPDATE documents_1 SET id = 'odd one' WHERE id = 'c'",
            "UPDATE documents_1 SET number = -number, flags = 1, body = NULL WHERE id = 'b'",
            "INSERT INTO documents_1 (\(columns)) SELECT -11, 'dead', 11, 1, revision, body FROM documents_1 WHERE id = 'a'",
            "UPDATE documents_1 SET body = x'ff' WHERE id = 'a'",
            "UPDATE documents_1 SET expires = 1",
            "DELETE FROM documents_1 WHERE id = 'd'",
        ]
        for statement in statements {
            try stage.foreign(statement)
            // The damaged body is a finding of its own.
            #expect(try stage.findings().filter { $0.contains("index") } == [], "\(statement)")
        }
        #expect(try stage.entries("some") == [])
        #expect(try stage.entries("age").count == 2)
        try stage.foreign("DELETE FROM documents_1")
        for name in IndexStage.definitions.keys { #expect(try stage.entries(name) == []) }
    }

    @Test(
        "a row in the place of another document's is refused, and nothing is changed",
        arguments: [
            "INSERT OR REPLACE INTO documents_1 (number, id, sequence, flags, revision) VALUES (1, 'x', 10, 0, x'00')",
            "INSERT OR REPLACE INTO documents_1 (number, id, sequence, flags, revision) VALUES (10, 'a', 10, 0, x'00')",
            "INSERT OR IGNORE INTO documents_1 (number, id, sequence, flags, revision) VALUES (10, 'x', 1, 0, x'00')",
            "INSERT INTO documents_1 (number, id, sequence, flags, revision) VALUES (10, 'a', 10, 0, x'00') ON CONFLICT (id) DO UPDATE SET body = NULL",
            "UPDATE OR REPLACE documents_1 SET sequence = 2 WHERE id = 'a'",
            "UPDATE OR REPLACE documents_1 SET number = 2 WHERE id = 'a'",
        ])
    func replacing(statement: String) throws {
        let error = #expect(throws: GRDB.DatabaseError.self) { try stage.foreign(statement) }
        #expect(error?.message?.contains("delete its row first") == true)
        #expect(try stage.collection.count == 3 && stage.findings() == [])
    }

    @Test("a tombstone's row can be replaced")
    func tombstone() throws {
        try stage.collection.delete(id: "a")
        try stage.foreign(
            "INSERT OR REPLACE INTO documents_1 (\(columns)) SELECT 9, 'a', 9, 0, revision, body FROM documents_1 WHERE id = 'b'"
        )
        #expect(try stage.findings() == [] && stage.entries("age") == ["50c028 2", "50c028 9", "50c03c 3"])
    }

    @Test("the database's own writes run no triggers")
    func ownWrites() throws {
        try stage.foreign(
            "CREATE TRIGGER sentinel AFTER INSERT ON documents_1 BEGIN SELECT RAISE(ABORT, 'a trigger ran'); END")
        try stage.save("d", age: 4)
        try stage.collection.delete(id: "a")
        #expect(try stage.findings() == [])
    }
}
