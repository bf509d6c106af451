import Foundation
import GRDB
import Testing

@testable import SealiteDatabase

@Suite("what later programs put into a database of the present format")
struct LaterContentTests {
    @Test("a collection with an index that this program can't keep is read and not written, and others are written")
    func unknownIndex() throws {
        let test = try TestDatabase()
        let collection = try test.database.createCollection(name: "indexed")
        let document = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        try test.database.writer.withoutTransaction { connection in
            try connection.execute(
                sql: """
                    INSERT INTO indexes (collection, name, kind, definition, versions)
                    VALUES (\(collection.number), 'by n', 'spatial', '{}', '{}')
                    """)
        }
        let other = try test.collection
        #expect(code { try collection.save(document: MutableDocument(id: "b")) } == .databaseTooNew)
        #expect(code { try collection.save(document: document.toMutable()) } == .databaseTooNew)
        #expect(code { try collection.delete(id: "a") } == .databaseTooNew)
        #expect(code { try collection.purge(id: "a") } == .databaseTooNew)
        #expect(code { try test.database.deleteCollection(name: "indexed") } == .databaseTooNew)
        let failure = #expect(throws: SealiteDatabase.DatabaseError.self) { try collection.delete(id: "a") }
        #expect(failure?.reason.contains("spatial") == true && failure?.reason.contains("indexed") == true)
        #expect(try collection.document(id: "a")?.int(forKey: "n") == 1)
        #expect(try collection.count == 1 && other.save(document: MutableDocument(id: "c")).sequence == 1)
    }

    @Test("a database whose revisions are of a kind that isn't known is refused")
    func versioning() throws {
        let test = try TestDatabase()
        for (value, expected) in [
            ("trees", nil), ("vectors", nil), ("clouds", SealiteDatabase.DatabaseError.Code.databaseTooNew),
        ] {
            try test.database.writer.withoutTransaction { connection in
                try connection.execute(
                    sql: "INSERT OR REPLACE INTO properties (name, value) VALUES ('versioning', '\(value)')")
            }
            #expect(code { _ = try test.reopened() } == expected, "\(value)")
        }
    }
}
