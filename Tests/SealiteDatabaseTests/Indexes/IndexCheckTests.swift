import CSQLite
import Foundation
import GRDB
import SealiteGRDB
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("what becomes of value indexes: checking, rebuilding, other versions")
struct IndexCheckTests {
    let stage: IndexStage

    init() throws {
        stage = try IndexStage()
        for (index, id) in ["a", "b", "c"].enumerated() { try stage.save(id, age: index + 1) }
        try stage.makeIndexes()
    }

    /// Runs SQL on a connection whose triggers are off, as a program could that edits rows in place.
    private func editWithoutTriggers(_ sql: String) throws {
        let queue = try stage.test.file.makeQueue()
        try queue.writeWithoutTransaction { connection in
            #expect(
                unsafe sealite_configure(connection.sqliteConnection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0) == SQLITE_OK)
            try connection.execute(sql: sql)
        }
        try queue.close()
    }

    @Test(
        "the integrity check finds a stale index, and reindexing repairs it",
        arguments: [
            "UPDATE keys_1 SET key1 = x'50c064' WHERE document = 2", "DELETE FROM keys_1 WHERE document = 2",
            "INSERT INTO keys_1 VALUES (x'10', 99)", "INSERT INTO keys_1 VALUES (x'10', 1)",
            "UPDATE documents_1 SET body = x'0c' WHERE id = 'b'", "DELETE FROM documents_1 WHERE id = 'b'",
            "DROP TRIGGER keys_1_update", "DROP TRIGGER documents_1_guard_insert",
        ])
    func stale(edit: String) throws {
        #expect(try stage.findings() == [])
        try editWithoutTriggers(edit)
        let findings = try stage.findings()
        #expect(findings.contains { $0.contains("index \"age\"") } && !findings.contains { $0.contains("50c0") })
        #expect(code { try stage.test.database.performMaintenance(type: .integrityCheck) } == .corruptData)
        try stage.test.database.performMaintenance(type: .reindex)
        #expect(try stage.findings() == [])
        try stage.save("b", age: 7)
        #expect(try stage.findings() == [])
    }

    @Test(
        "an index that another version built is built anew at opening, with progress; before that nothing is written through it"
    )
    func otherVersion() throws {
        try editWithoutTriggers("UPDATE indexes SET versions = '{\"keys\":0}' WHERE number = 1; DELETE FROM keys_1")
        #expect(code { try stage.save("d", age: 4) } == .indexNotCurrent)
        let reports = Reports()
        var configuration = DatabaseConfiguration()
        configuration.indexProgress = { reports.add($0) }
        let reopened = try stage.test.reopened(configuration)
        #expect(reports.all == [0, 3])
        #expect(try stage.entries("age").count == 3 && stage.findings() == [])
        #expect(try reopened.collection.indexRecords().allSatisfy(\.isCurrent))
        try stage.save("d", age: 4)
        #expect(try stage.findings() == [])
    }

    @Test(
        "an index that isn't whole is built at opening, and a build that is given up leaves the database unopened and unchanged"
    )
    func unfinished() throws {
        try editWithoutTriggers("UPDATE indexes SET state = 1 WHERE number = 2; DROP TABLE keys_2")
        var configuration = DatabaseConfiguration()
        configuration.indexProgress = { _ in false }
        #expect(code { _ = try stage.test.reopened(configuration) } == .cancelled)
        #expect(try stage.collection.indexRecords()[1].isWhole == false)
        let reopened = try stage.test.reopened()
        #expect(try reopened.database.integrityFindings() == [] && reopened.collection.indexRecords()[1].isWhole)
    }

    @Test(
        "an index that this program can't keep makes its collection read-only, with the reason",
        arguments: [
            ("kind = 'spatial'", "spatial"), ("definition = '{\"keys\":[],\"unique\":true}'", "definition"),
            ("definition = 'nonsense'", "definition"), ("versions = '{\"keys\":1,\"spelling\":3}'", "definition"),
            ("versions = ''", "definition"),
        ])
    func unknown(change: String, reason: String) throws {
        try editWithoutTriggers("UPDATE indexes SET \(change) WHERE name = 'two'")
        for test in [stage.test, try stage.test.reopened()] {
            let collection = try test.collection
            for write in [
                { _ = try collection.save(document: MutableDocument(id: "d")) }, { try collection.delete(id: "a") },
                { try collection.purge(id: "a") }, { try collection.deleteIndex("two") },
            ] as [() throws -> Void] {
                let error = #expect(throws: SealiteDatabase.DatabaseError.self) { try write() }
                #expect(error?.code == .databaseTooNew && error?.reason.contains(reason) == true)
                #expect(error?.reason.contains("\"two\"") == true)
            }
            #expect(try collection.document(id: "a")?.int(forKey: "age") == 1 && collection.count == 3)
            try test.database.createCollection(name: "other").save(document: MutableDocument(id: "a"))
        }
    }

    @Test("documents expire in the other collections while one has an index that this program can't keep")
    func expiration() throws {
        let other = try stage.test.database.createCollection(name: "other")
        try other.save(document: MutableDocument(id: "x"))
        for collection in [stage.collection, other] {
            try collection.setDocumentExpiration(
                id: collection === other ? "x" : "a", expiration: Date(timeIntervalSince1970: 4_000_000_000))
        }
        try editWithoutTriggers(
            "UPDATE indexes SET kind = 'spatial'; UPDATE documents_1 SET expires = 1 WHERE id = 'a'; UPDATE documents_2 SET expires = 1"
        )
        #expect(code { try stage.test.database.purgeExpiredDocuments() } == .databaseTooNew)
        #expect(try other.count == 0 && stage.collection.count == 3)
    }

    @Test("an index that can't be built makes its collection read-only, with the reason, until it is deleted")
    func unbuildable() throws {
        try editWithoutTriggers(
            "UPDATE indexes SET definition = '{\"keys\":[{\"sql\":\"json(id)\"}]}', state = 1 WHERE name = 'two'")
        let reopened = try stage.test.reopened()
        let error = #expect(throws: SealiteDatabase.DatabaseError.self) {
            try reopened.collection.save(document: MutableDocument(id: "d"))
        }
        #expect(error?.code == .indexNotCurrent && error?.reason.contains("\"two\" has to be rebuilt") == true)
        #expect(try reopened.collection.document(id: "a") != nil)
        try reopened.database.createCollection(name: "other").save(document: MutableDocument(id: "a"))
        try reopened.collection.deleteIndex("two")
        try reopened.collection.save(document: MutableDocument(id: "d"))
        #expect(try reopened.database.integrityFindings() == [])
    }

    @Test("hostile definitions are refused or unusable, never a crash")
    func hostile() throws {
        let deep = "{\"keys\":[{\"order\":\"queries\",\"path\":[" + String(repeating: "0,", count: 200) + "0]}]}"
        for definition in [
            "{}", "[]", "{\"keys\":[{}]}", "{\"keys\":[{\"sql\":1}]}", "{\"keys\":[{\"sql\":\"x'\",\"path\":[]}]}",
            "{\"keys\":[{\"order\":\"other\",\"path\":[]}]}", deep,
            "{\"keys\":[{\"sql\":\"1) FROM documents_1; DELETE FROM documents_1; --\"}]}",
            "{\"keys\":[{\"sql\":\"nosuch(body)\"}]}",
        ] {
            try editWithoutTriggers(
                "UPDATE indexes SET definition = '\(definition.split(separator: "'").joined(separator: "''"))', state = 1 WHERE name = 'two'"
            )
            _ = try stage.test.reopened()
            #expect(code { try stage.save("d", age: 4) } != nil, "\(definition)")
            #expect(try stage.collection.count == 3, "\(definition)")
        }
    }
}

/// The progress that an opening reported.
private final class Reports: Sendable {
    private let counts = Mutex<[UInt64]>([])
    var all: [UInt64] { counts.withLock { $0 } }

    func add(_ progress: MigrationProgress) -> Bool {
        counts.withLock { $0.append(progress.rowCount) }
        return true
    }
}
