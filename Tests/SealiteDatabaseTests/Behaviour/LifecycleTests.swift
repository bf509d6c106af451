import Foundation
import SealiteFile
import Testing

@testable import SealiteDatabase

@Suite("documents and databases that were deleted, purged or closed")
struct LifecycleTests {
    struct Stop: Error {}

    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    @Test("deleting twice changes nothing more; purging needs something to purge, a tombstone is enough")
    func twice() throws {
        let saved = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        try collection.delete(document: saved)
        let tombstone = try #require(try collection.changes(since: 0).first)
        try collection.delete(document: saved)
        #expect(try collection.changes(since: 0).map(\.sequence) == [tombstone.sequence])
        try collection.purge(document: saved)
        #expect(try collection.changes(since: 0).isEmpty && collection.revisions(id: "a").isEmpty)
        #expect(code { try collection.purge(document: saved) } == .notFound)
        #expect(code { try collection.delete(document: saved) } == .notFound)
        #expect(code { try collection.delete(id: "never") } == .notFound)
    }

    @Test("a batch that fails takes back deletions, purges, expirations and collections alike")
    func failedBatch() throws {
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
        let before = try collection.changes(since: 0)
        #expect(throws: Stop.self) {
            try test.database.inBatch {
                try collection.delete(id: "a")
                try collection.purge(id: "b")
                try collection.setDocumentExpiration(id: "c", expiration: .distantFuture)
                try test.database.createCollection(name: "new").save(document: MutableDocument(id: "n"))
                #expect(try collection.count == 1)
                throw Stop()
            }
        }
        #expect(try collection.changes(since: 0) == before)
        #expect(try collection.count == 3)
        #expect(try collection.getDocumentExpiration(id: "c") == nil)
        #expect(try test.database.collection(name: "new") == nil)
    }

    @Test("a document outlives its database; its blob's content doesn't, and says so")
    func afterClose() throws {
        let blob = Blob(contentType: "text/plain", bytes: Array("content".utf8))
        try collection.save(document: MutableDocument(id: "a").setInt(7, forKey: "x").setBlob(blob, forKey: "b"))
        let document = try #require(try collection.document(id: "a"))
        try test.database.close()
        #expect(document.int(forKey: "x") == 7 && document.blob(forKey: "b")?.length == 7)
        #expect(code { _ = try document.blob(forKey: "b")?.content } == .notOpen)
        #expect(document.toMutable().setInt(8, forKey: "x").int(forKey: "x") == 8)
        #expect(collection.fullName == "_default._default")
        #expect(code { try test.database.delete() } == .notOpen)
    }

    @Test("only a closed database is reported as not open, and not every wrong use of SQLite")
    func misuse() throws {
        func error(_ message: String) -> SealiteDatabase.DatabaseError {
            SealiteDatabase.DatabaseError(resultCode: 21, message: message)
        }
        #expect(error("wrong number of statement arguments: 2").code == .unexpected)
        #expect(error("Connection is closed").code == .notOpen)
        try test.database.close()
        #expect(code { try test.database.writer.withoutTransaction { _ in } } == .notOpen)
    }

    @Test("a failed call of the system is reported with the system's message, and has its own code without permission")
    func systemErrors() {
        do {
            try Database.delete(at: test.folder.path)
            Issue.record("a folder was deleted as a database")
        } catch {
            #expect((error as? SealiteDatabase.DatabaseError)?.code == .ioError)
            #expect((error as? SealiteDatabase.DatabaseError)?.reason.hasSuffix("deleted: Is a directory") == true)
        }
        #expect(SealiteDatabase.DatabaseError(errno: EACCES, "it failed").code == .permissionDenied)
        #expect(SealiteDatabase.DatabaseError(errno: EACCES, "it failed").reason == "it failed: Permission denied")
    }

    @Test("a deleted database's files are gone, its objects say so, and a new one begins empty in its place")
    func deletedDatabase() async throws {
        try await collection.save(document: MutableDocument(id: "a"))
        let path = try #require(test.database.path)
        try await test.database.delete()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.path).isEmpty)
        #expect(!Database.exists(at: path) && test.database.path == nil)
        #expect(code { _ = try collection.document(id: "a") } == .notOpen)
        #expect(code { try Database.delete(at: path) } == .notFound)
        let again = try TestDatabase(in: test.folder)
        #expect(try again.collection.count == 0)
    }

    @Test("asynchronous calls do what the others do")
    func asynchronous() async throws {
        let saved = try await collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try await collection.getDocumentExpiration(id: "a") == nil)
        #expect(try await collection.revisions(id: "a").map(\.id.description) == [saved.revisionID])
        #expect(try await collection.document(id: "a", revision: saved.revision)?.int(forKey: "x") == 1)
        #expect(try await collection.conflictedDocumentIDs().isEmpty)
        let changed = try await collection.save(document: saved.toMutable().setInt(2, forKey: "x"))
        #expect(try await !collection.delete(document: saved, concurrencyControl: .failOnConflict).isSaved)
        #expect(try await collection.delete(document: changed, concurrencyControl: .failOnConflict).isSaved)
        try await collection.purge(document: changed)
        try await collection.save(document: MutableDocument(id: "late"))
        try await collection.setDocumentExpiration(id: "late", expiration: Date(timeIntervalSince1970: 1))
        _ = try await test.database.purgeExpiredDocuments()
        #expect(try await test.database.integrityFindings().isEmpty)
        #expect(try await test.database.statistics().collections.map(\.documentCount) == [0])
        let path = test.folder.path + "/copy.db"
        try await test.database.copy(to: path, slot: .rawKey(testKey(7)))
        let opened = try await Database.open(path, key: .rawKey(testKey(7)))
        #expect(try await opened.publicUUID() != test.database.publicUUID())
        try await test.database.close()
        #expect(try await opened.defaultCollection().document(id: "a") == nil)
        try await opened.delete()
    }

    @Test("making, listing and looking for things has asynchronous forms too")
    func asynchronousLists() async throws {
        let path = test.folder.path + "/made.db"
        let made = try await Database.create(path, slot: .rawKey(testKey(3)))
        await #expect(throws: SealedFileError(.exists, "")) {
            try await Database.create(path, slot: .rawKey(testKey(3)))
        }
        try await made.createCollection(name: "hotels", scope: "travel")
        #expect(try await made.scopes().map(\.name) == ["_default", "travel"])
        #expect(try await made.collections(scope: "travel").map(\.name) == ["hotels"])
        #expect(try await made.scope(name: "travel")?.collections().count == 1)
        #expect(try await made.scope(name: "travel")?.collection(name: "none") == nil)
        let hotels = try #require(try await made.collection(name: "hotels", scope: "travel"))
        let blob = Blob(contentType: nil, bytes: [1, 2])
        try await hotels.save(document: MutableDocument(id: "a").setBlob(blob, forKey: "b"))
        #expect(try await made.getBlob(properties: blob.properties) == blob)
        try await hotels.forEachDocument { #expect($0.id == "a") }
        try await made.close()
        try await Database.delete(at: path)
        #expect(!Database.exists(at: path))
    }
}
