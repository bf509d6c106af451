import Foundation
import GRDB
import SealiteFile
import SealiteGRDB
import Testing

@testable import SealiteDatabase
@testable import SealiteRevisions

/// What a file that somebody else made may have in its rows. Tests/Attacks/hostile_database.py does the same to the tool.
@Suite("databases that somebody else made: the values")
struct ForeignValueTests {
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        for number in 1...5 { try collection.save(document: MutableDocument(id: "d\(number)")) }
        let blob = Blob(contentType: "text/plain", bytes: Array("content".utf8))
        try collection.save(document: MutableDocument(id: "blob").setBlob(blob, forKey: "blob"))
    }

    /// Changes values as no statement of a STRICT table with checks does.
    private func edit(_ sql: String, loosening table: String = "documents_1") throws {
        let queue = try test.file.makeQueue()
        try queue.writeWithoutTransaction { connection in
            let kept = try #require(
                try String.fetchOne(connection, sql: "SELECT sql FROM sqlite_schema WHERE name = '\(table)'"))
            func set(_ sql: String) throws {
                try connection.execute(sql: "PRAGMA writable_schema = ON")
                try connection.execute(
                    sql: "UPDATE sqlite_schema SET sql = ? WHERE name = '\(table)'", arguments: [sql])
                try connection.execute(sql: "PRAGMA writable_schema = RESET")
            }
            try set(kept.replacing(", STRICT", with: "").replacing(" STRICT", with: ""))
            try connection.execute(sql: "PRAGMA ignore_check_constraints = ON; \(sql)")
            try set(kept)
        }
        try queue.close()
    }

    private func opened() throws -> SealiteDatabase.Collection { try test.reopened().collection }

    @Test(
        "a sequence or number out of range is an error wherever it is read, and nothing is computed from it",
        arguments: [
            "sequence = \(Int64.max)", "sequence = \(Int64.min)", "sequence = -1", "sequence = 0",
            "sequence = \(Int64(1) << 62)", "sequence = 'x'", "sequence = 1e300", "sequence = x'07'",
        ])
    func sequences(change: String) throws {
        try edit("UPDATE documents_1 SET \(change) WHERE id = 'd3'")
        let collection = try opened()
        #expect(code { _ = try collection.document(id: "d3") } == .corruptData)
        #expect(code { _ = try collection.delete(id: "d3") } == .corruptData)
        #expect(try collection.document(id: "d2") != nil)
        // A number that isn't above 0 isn't among those after it.
        let isLow = ["sequence = \(Int64.min)", "sequence = -1", "sequence = 0"].contains(change)
        #expect(code { try collection.forEachDocument { _ in } } == (isLow ? nil : .corruptData))
        #expect(code { _ = try collection.changes(since: 0) } == (isLow ? nil : .corruptData))
        _ = code { try collection.save(document: MutableDocument(id: "new")) }
        _ = code { _ = try collection.database.statistics() }
    }

    @Test("numbers of documents out of range are errors", arguments: [Int64.max, .min, 1 << 62, 0, -(1 << 62)])
    func numbers(number: Int64) throws {
        try edit("UPDATE documents_1 SET number = \(number) WHERE id = 'd3'")
        let collection = try opened()
        #expect(code { try collection.delete(id: "d3") } == .corruptData)
        let isGreat = number.magnitude >= 1 << 62
        #expect(code { try collection.save(document: MutableDocument(id: "new")) } == (isGreat ? .corruptData : nil))
    }

    @Test(
        "the sequence and the count of purges of a collection are checked",
        arguments: ["sequence = \(Int64.max)", "sequence = 'x'", "purges = \(Int64.max)", "purges = -9"])
    func collections(change: String) throws {
        try edit("UPDATE collections SET \(change)", loosening: "collections")
        let collection = try opened()
        let isPurges = change.hasPrefix("purges")
        #expect(code { try collection.save(document: MutableDocument(id: "new")) } == (isPurges ? nil : .corruptData))
        // The sum with the greatest integer is a REAL, which the table refuses.
        let refusals: [SealiteDatabase.DatabaseError.Code?] = [.corruptData, .unexpected]
        #expect(refusals.contains(code { try collection.purge(id: "d1") }))
        #expect(try collection.document(id: "d1") != nil)
    }

    @Test("a stored sequence of a collection that is less than those of its documents has no effect")
    func lowSequence() throws {
        let last = try #require(try collection.changes(since: 0).last).sequence
        try edit("UPDATE collections SET sequence = -1", loosening: "collections")
        let collection = try opened()
        try collection.save(document: MutableDocument(id: "new"))
        #expect(try collection.changes(since: last).map(\.id) == ["new"])
    }

    @Test(
        "an id that isn't text in UTF-8 is an error, and reading page by page ends",
        arguments: ["CAST(id AS BLOB)", "CAST(x'FFFE' || id AS TEXT)"])
    func ids(value: String) throws {
        try edit("UPDATE documents_1 SET id = \(value) WHERE id = 'd3'")
        let collection = try opened()
        for order in [DocumentRange.Order.id, .idDescending, .sequence] {
            var range = DocumentRange()
            range.order = order
            #expect(code { try collection.forEachDocument(in: range) { _ in } } == .corruptData)
        }
        #expect(code { _ = try collection.changes(since: 0) } == .corruptData)
        #expect(code { _ = try collection.storedDocuments(after: 0) } == .corruptData)
    }

    @Test(
        "a document whose id no program stores isn't sent to a peer, and a check names it",
        arguments: ["'a' || char(0) || 'b'", "''", "'_a'", "hex(zeroblob(200))"])
    func invalidIDs(value: String) throws {
        try edit("UPDATE documents_1 SET id = \(value) WHERE id = 'd3'")
        let collection = try opened()
        let changes = try ReplicatedCollection(collection: collection, remote: nil).changes(after: 0, limit: 10)
        #expect(changes.count == 6 && changes.filter(\.isWithheld).count == 1)
        #expect(try collection.database.integrityFindings().count { $0.contains("a document id") } == 1)
    }

    @Test("the number and the length of a blob are checked before content is read or written")
    func blobs() throws {
        for (change, expected) in [
            ("length = \(Int64.max)", true), ("length = -1", true), ("length = 1 << 41", true), ("length = 'x'", true),
            ("number = \(Int64.max)", true), ("number = -5", true), ("number = 1 << 38", true),
            ("touched = 'x'", false),
        ] {
            try edit("UPDATE blobs SET length = 7, number = 1; UPDATE blobs SET \(change)", loosening: "blobs")
            let collection = try opened()
            let blob = try #require(try collection.document(id: "blob")?.blob(forKey: "blob"))
            #expect(code { _ = try blob.content } == (expected ? .corruptData : nil), "\(change)")
        }
    }

    @Test("a long blob that isn't there takes no memory")
    func longBlob() throws {
        try edit("UPDATE blobs SET length = 1 << 40", loosening: "blobs")
        let blob = try #require(try opened().document(id: "blob")?.blob(forKey: "blob"))
        #expect(code { _ = try blob.content } == .corruptData)
    }

    @Test("unreferenced blobs with numbers out of range end the collection of blobs with an error")
    func unreferencedBlobs() throws {
        for number in [Int64.max, 1 << 38] {
            try edit(
                "UPDATE blobs SET number = \(number), used = 1; DELETE FROM blob_references", loosening: "blobs")
            #expect(code { try test.reopened().database.performMaintenance(type: .compact) } == .corruptData)
        }
    }

    @Test("the numbers of remotes, and the state of per-document sync, are checked")
    func sync() throws {
        _ = try test.database.remoteNumber("wss://a")
        for number in [Int64.max, .min, -1, 0] {
            try edit("UPDATE remotes SET number = \(number)", loosening: "remotes")
            let database = try test.reopened().database
            #expect(code { _ = try database.remotes() } == .corruptData)
            #expect(code { _ = try database.knownRemoteNumber("wss://a") } == .corruptData)
        }
        for name in ["ffffffffffffffff", "F", "zz", "7fffffffffffffff"] {
            try edit("INSERT OR REPLACE INTO local_values VALUES ('syncEvents/1', '\(name)', 'd1', x'010000')")
            let documents = SyncedDocuments(try opened())
            #expect(code { _ = try documents.events(limit: 10) } == .corruptData, "\(name)")
            try edit("DELETE FROM local_values WHERE store = 'syncEvents/1'")
        }
    }

    @Test("a revision of the greatest generation has no successor, and a greater one isn't read")
    func generations() throws {
        func store(_ generation: UInt64) throws -> SealiteDatabase.Collection {
            var bytes: [UInt8] = []
            var rest = generation << 1
            while rest > 127 {
                bytes.append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            bytes += [UInt8(rest), 0xAA]
            let digits = bytes.map { String(format: "%02x", $0) }.joined()
            try edit("UPDATE documents_1 SET revision = x'\(digits)' WHERE id = 'd1'")
            return try opened()
        }
        let greatest = try store(UInt64(UInt32.max) - 1)
        #expect(try greatest.document(id: "d1")?.revisionID == "4294967294-aa")
        #expect(code { try greatest.save(document: MutableDocument(id: "d1")) } == .badRevisionID)
        let before = try store(UInt64(UInt32.max) - 2)
        #expect(try before.save(document: MutableDocument(id: "d1")).revisionID.hasPrefix("4294967294-"))
        for generation in [UInt64(UInt32.max), UInt64(UInt32.max) + 1, .max >> 1] {
            let collection = try store(generation)
            #expect(code { _ = try collection.document(id: "d1") } == .corruptData)
        }
    }

    @Test("an expiration at either end of the range is neither a trap nor forever due")
    func expirations() throws {
        try edit(
            "UPDATE documents_1 SET expires = \(Int64.min) WHERE id = 'd1'; UPDATE documents_1 SET expires = \(Int64.max) WHERE id = 'd2'"
        )
        let collection = try opened()
        _ = try collection.database.purgeExpiredDocuments()
        #expect(try collection.document(id: "d1") == nil && collection.document(id: "d2") != nil)
    }
}
