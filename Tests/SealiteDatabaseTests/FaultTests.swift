import Foundation
import GRDB
import SealiteFile
import SealiteGRDB
import Testing

@testable import SealiteDatabase

@Suite("failures underneath")
struct FaultTests {
    @Test("a full disk in the middle of a save stores nothing of it, and the database goes on")
    func fullDisk() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        try test.database.writer.withoutTransaction { connection in
            let pages = try connection.integer("PRAGMA page_count")
            try connection.execute(sql: "PRAGMA max_page_count = \(pages + 10)")
        }
        let blob = Blob(contentType: nil, bytes: [UInt8](repeating: 1, count: 500_000))
        let large = MutableDocument(id: "large").setBlob(blob, forKey: "b")
        #expect(code { try collection.save(document: large) } == .diskFull)
        let batch = code {
            try test.database.write { _ in
                for index in 0..<100 {
                    let text = String(repeating: "x", count: 2000)
                    try collection.save(document: MutableDocument(id: "\(index)").setString(text, forKey: "x"))
                }
            }
        }
        #expect(batch == .diskFull)
        #expect(try collection.changes(since: 0).map(\.id) == ["a"])
        #expect(try test.database.statistics().blobCount == 0)
        try collection.save(document: MutableDocument(id: "a").setInt(2, forKey: "x"))
        try test.database.writer.withoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        try collection.save(document: large)
        #expect(try collection.document(id: "large")?.blob(forKey: "b")?.length == 500_000)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a writer that another process keeps out gives up with busy after the configured time")
    func busy() throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .milliseconds(100)
        let test = try TestDatabase(configuration)
        let foreign = try test.file.makeQueue()
        try foreign.inDatabase { connection in
            try connection.execute(sql: "BEGIN IMMEDIATE")
            #expect(code { try test.collection.save(document: MutableDocument(id: "a")) } == .busy)
            try connection.execute(sql: "ROLLBACK")
        }
        try test.collection.save(document: MutableDocument(id: "a"))
    }

    @Test("wiping the keys of the file stops reads and writes with the reason")
    func lockedFile() throws {
        let test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a"))
        test.file.lock()
        #expect(code { try test.collection.save(document: MutableDocument(id: "b")) } != nil)
    }

    @Test("errors name what failed and never the content")
    func messages() throws {
        let test = try TestDatabase()
        let secret = "secret-content"
        do {
            _ = try MutableDocument(id: "a", json: "{\"\(secret)\":\(secret)}")
            Issue.record("parsed")
        } catch {
            #expect("\(error)" == "invalid JSON at byte 18: no JSON value starts with these characters")
        }
        do {
            try test.collection.save(document: MutableDocument(id: String(repeating: "x", count: 241)))
            Issue.record("saved")
        } catch {
            #expect("\(error)" == "a document id has 1 to 240 bytes, not 241")
        }
        do {
            try test.database.deleteCollection(name: "_default")
            Issue.record("deleted")
        } catch {
            #expect("\(error)" == "the collection _default._default can't be deleted")
        }
    }
}
