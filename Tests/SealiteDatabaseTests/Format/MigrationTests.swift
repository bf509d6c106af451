import Foundation
import GRDB
import SealiteFile
import Synchronization
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

@Suite("The migration of earlier formats")
struct MigrationTests {
    /// A database of format 1 with documents, tombstones, conflicts' branches, expirations and blobs in two collections.
    private func earlier(_ test: TestDatabase, documents count: Int) throws {
        let other = try test.database.createCollection(name: "other", scope: "more")
        for collection in [try test.collection, other] {
            try test.database.write { _ in
                for number in 0..<count {
                    try collection.save(document: MutableDocument(id: "d\(number)").setInt(number, forKey: "n"))
                }
                for number in stride(from: 0, to: count, by: 3) {
                    try collection.save(document: MutableDocument(id: "d\(number)").setString("again", forKey: "s"))
                }
                for number in stride(from: 0, to: count, by: 5) { try collection.delete(id: "d\(number)") }
                for number in stride(from: 1, to: count, by: 50) { try collection.purge(id: "d\(number)") }
            }
            try collection.setDocumentExpiration(id: "d2", expiration: Date(timeIntervalSince1970: 4_000_000_000))
            let blob = Blob(contentType: "text/plain", bytes: Array("content".utf8))
            try collection.save(document: MutableDocument(id: "blob").setBlob(blob, forKey: "blob"))
        }
        try FirstFormat.makeEarlier(test.database)
    }

    @Test("opening a database of format 1 keeps every document, its place, its history, and what is beside it")
    func keepsEverything() throws {
        let test = try TestDatabase()
        try earlier(test, documents: 200)
        let other = try #require(try test.database.collection(name: "other", scope: "more"))
        #expect(try test.database.scalar(sql: "PRAGMA user_version") == 1)
        try test.database.close()

        let reports = Mutex<[MigrationProgress]>([])
        var configuration = DatabaseConfiguration()
        configuration.migrationProgress = { report in
            reports.withLock { $0.append(report) }
            return true
        }
        let again = try test.reopened(configuration)
        #expect(try again.database.scalar(sql: "PRAGMA user_version") == 2)
        #expect(try again.database.integrityFindings() == [])
        let seen = reports.withLock { $0 }
        #expect(seen.first?.rowCount == 0 && seen.last?.rowCount == seen.last?.totalRowCount && seen.count > 2)
        let collection = try again.collection
        #expect(try collection.count == 157 && other.fullName == "more.other")
        #expect(try collection.document(id: "d3")?.string(forKey: "s") == "again")
        #expect(try collection.document(id: "d5") == nil)
        #expect(try collection.revisions(id: "d5").first?.isDeleted == true)
        #expect(try collection.getDocumentExpiration(id: "d2") == Date(timeIntervalSince1970: 4_000_000_000))
        let blob = try #require(try collection.document(id: "blob")?.blob(forKey: "blob"))
        #expect(try Array(blob.content) == Array("content".utf8))
        // What is written afterwards gets new places.
        let last = try collection.lastSequence
        let saved = try collection.save(document: MutableDocument(id: "d5").setInt(1, forKey: "made again"))
        #expect(saved.sequence == last + 1)
        #expect(try collection.save(document: MutableDocument(id: "new")).sequence == last + 2)
        #expect(try again.database.integrityFindings() == [])
    }

    @Test("views, tables, indexes and triggers of others that name the documents' tables go through a migration")
    func objectsOfOthers() throws {
        let test = try TestDatabase()
        try earlier(test, documents: 20)
        let statements = [
            "CREATE TABLE mine (id TEXT REFERENCES documents_1 (id))",
            "CREATE VIEW both_collections AS SELECT id FROM documents_1 UNION ALL SELECT id FROM documents_2",
            "CREATE INDEX \"my revisions\" ON documents_1 (revision)",
            "CREATE TRIGGER mine_saved AFTER INSERT ON documents_2 BEGIN INSERT INTO mine VALUES (new.id); END",
            "CREATE TRIGGER mine_gone AFTER DELETE ON mine BEGIN DELETE FROM documents_1 WHERE 0; END",
        ]
        func objects(_ database: SealiteDatabase.Database) throws -> Set<String> {
            try database.writer.withoutTransaction {
                Set(try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
            }
        }
        try test.database.writer.withoutTransaction { connection in
            for statement in statements { try connection.execute(sql: statement) }
        }
        let count: Int64 = try test.database.scalar(sql: "SELECT count(*) FROM both_collections")
        try test.database.close()
        let again = try test.reopened()
        #expect(try again.database.scalar(sql: "PRAGMA user_version") == 2)
        #expect(try again.database.scalar(sql: "SELECT count(*) FROM both_collections") == count && count > 0)
        #expect(try objects(again.database).isSuperset(of: statements))
        // SQLite refuses to change a schema that has become inconsistent.
        #expect(try again.database.scalar(sql: "PRAGMA legacy_alter_table") == 0)
        try again.database.writer.withoutTransaction { try $0.execute(sql: "ALTER TABLE mine RENAME TO ours") }
        #expect(try again.database.integrityFindings() == [])
    }

    @Test("a migration that is given up, or fails, leaves the database as it was, and the next one begins anew")
    func givenUp() throws {
        let test = try TestDatabase()
        try earlier(test, documents: 1500)
        let before = try test.file.connect().integer("SELECT sum(length(body)) FROM documents_1")
        try test.database.close()
        var configuration = DatabaseConfiguration()
        configuration.migrationProgress = { $0.rowCount < 1000 }
        #expect(code { _ = try test.reopened(configuration) } == .cancelled)
        let connection = try test.file.connect()
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(try connection.integer("SELECT sum(length(body)) FROM documents_1") == before)
        #expect(try test.reopened().database.integrityFindings() == [])
    }

    @Test("the numbers of documents stay, through changes, deletion and being made again")
    func numbersStay() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        func number(_ id: String) throws -> Int64 {
            try test.database.scalar(sql: "SELECT number FROM documents_1 WHERE id = '\(id)'")
        }
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
        let first = try number("b")
        try collection.save(document: MutableDocument(id: "b").setInt(1, forKey: "x"))
        #expect(try number("b") == first)
        try collection.delete(id: "b")
        #expect(try number("b") == -first)
        try collection.save(document: MutableDocument(id: "b"))
        #expect(try number("b") == first)
        // Also where a tombstone has the greatest number.
        try collection.delete(id: "c")
        try collection.purge(id: "a")
        try collection.purge(id: "b")
        try collection.save(document: MutableDocument(id: "d"))
        #expect(try number("d") == -(try number("c")) + 1)
        #expect(try collection.count == 1 && test.database.integrityFindings() == [])
    }

    @Test("a power loss while a database is migrated leaves the old one or the new one", arguments: TestSeed.seeds(2))
    func powerLoss(seed: UInt64) throws {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "migration \(seed), below", disk: disk)
        let choice = VFSChoice(name: "migration \(seed), sealed", base: vfs.name)
        _ = try SealedDatabase.create("/old.db", slot: .rawKey(testKey(7)), vfs: choice)
        func open() throws -> SealiteDatabase.Database {
            try SealiteDatabase.Database(
                file: try SealedDatabase.open("/old.db", key: .rawKey(testKey(7)), vfs: choice))
        }
        let isLong = Effort.current == .soak
        var database = try open()
        let collection = try database.defaultCollection()
        try database.write { _ in
            for number in 0..<(isLong ? 100_000 : 1_200) {
                try collection.save(document: MutableDocument(id: "d\(number)").setInt(number, forKey: "n"))
            }
            for number in stride(from: 0, to: 1_000, by: 7) { try collection.delete(id: "d\(number)") }
        }
        // Reading each of many documents would take hours.
        let contents = isLong ? FirstFormat.rows : FirstFormat.contents
        let before = try contents(database)
        try FirstFormat.makeEarlier(database)
        try database.close()
        let base = disk.image
        disk.load(base)
        database = try open()
        try database.close()
        let events = disk.events

        var platter = Platter(base)
        var versions: [Int64: Int] = [:]
        let step = max(events.count / (isLong ? 40 : 25), 1)
        for (point, event) in events.enumerated() {
            platter.record(event)
            guard point % step == Int(seed % UInt64(step)) || point == events.count - 1 else { continue }
            disk.load(platter.afterPowerLoss(seed: seed &+ UInt64(point / step)).image)
            let file = try SealedDatabase.open("/old.db", key: .rawKey(testKey(7)), vfs: choice)
            versions[try file.connect().integer("PRAGMA user_version"), default: 0] += 1
            let left = try open()
            // Not by #expect, which would print the documents.
            if try contents(left) != before {
                Issue.record("other documents, operation \(point + 1) of \(events.count)")
            }
            if !isLong || point / step % 8 == 0 { #expect(try left.integrityFindings() == []) }
            try left.close()
        }
        print(
            "power losses while a database is migrated left the formats \(versions), \(events.count) operations, seed \(seed)"
        )
        #expect(Set(versions.keys) == [1, 2])
    }
}
