import Foundation
import Testing

@testable import SealiteDatabase

@Suite("Expiration")
struct ExpirationTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
    }

    private func waitUntilGone(_ id: String) async throws -> Bool {
        for _ in 0..<6000 {
            if try await collection.document(id: id) == nil { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("there is none at first; it can be set, read, changed and cleared, to the millisecond")
    func setAndRead() throws {
        #expect(try collection.getDocumentExpiration(id: "a") == nil)
        let time = Date(timeIntervalSince1970: 4_000_000_000.123)
        try collection.setDocumentExpiration(id: "a", expiration: time)
        #expect(try collection.getDocumentExpiration(id: "a") == time)
        #expect(try collection.lastSequence == 3)
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try collection.getDocumentExpiration(id: "a") == time)
        try collection.setDocumentExpiration(id: "a", expiration: nil)
        #expect(try collection.getDocumentExpiration(id: "a") == nil)
        try collection.setDocumentExpiration(id: "b", expiration: .distantFuture)
        try collection.setDocumentExpiration(id: "c", expiration: .distantPast)
    }

    @Test("an unknown document has no expiration to set or read")
    func unknown() {
        #expect(code { try collection.setDocumentExpiration(id: "x", expiration: Date()) } == .notFound)
        #expect(code { _ = try collection.getDocumentExpiration(id: "x") } == .notFound)
    }

    @Test("a document purges itself when its time comes, without being asked, and is told of")
    func purgesItself() async throws {
        var changes = collection.changes.makeAsyncIterator()
        try await collection.setDocumentExpiration(id: "b", expiration: Date().addingTimeInterval(0.2))
        try await collection.setDocumentExpiration(id: "c", expiration: Date().addingTimeInterval(3600))
        #expect(try await waitUntilGone("b"))
        #expect(try await changes.next()?.documentIDs == ["b"])
        #expect(try await collection.changes(since: 0).map(\.id) == ["a", "c"])
    }

    @Test("a time that comes first is noticed though a later one was set before")
    func earlierTime() async throws {
        try await collection.setDocumentExpiration(id: "a", expiration: Date().addingTimeInterval(3600))
        try await collection.setDocumentExpiration(id: "b", expiration: Date().addingTimeInterval(0.1))
        #expect(try await waitUntilGone("b"))
        try await collection.setDocumentExpiration(id: "a", expiration: Date().addingTimeInterval(0.1))
        #expect(try await waitUntilGone("a"))
    }

    @Test("a time that someone else set, who is gone when it comes, is noticed all the same")
    func setElsewhere() async throws {
        var configuration = DatabaseConfiguration()
        configuration.longestExpirationWait = 50
        let follower = try test.reopened(configuration)
        // The follower looked and found nothing to wait for; then another process, as it were, sets one and ends.
        try await Task.sleep(for: .milliseconds(100))
        try await collection.setDocumentExpiration(id: "b", expiration: Date().addingTimeInterval(0.3))
        try await test.database.close()
        let left = try follower.collection
        for _ in 0..<6000 where try await left.document(id: "b") != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await left.document(id: "b") == nil)
    }

    @Test("times survive reopening, and documents whose time came meanwhile are purged at once")
    func reopening() async throws {
        try await collection.setDocumentExpiration(id: "a", expiration: Date().addingTimeInterval(0.15))
        try await collection.setDocumentExpiration(id: "b", expiration: Date().addingTimeInterval(0.4))
        try await test.database.close()
        try await Task.sleep(for: .milliseconds(200))
        let again = try test.reopened()
        let collection = try again.collection
        for _ in 0..<6000 where try collection.count > 1 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await collection.documents(in: DocumentRange()).map(\.id) == ["c"])
    }

    @Test("tombstones and documents of other collections expire too, a clear in time saves one")
    func others() async throws {
        let other = try await test.database.createCollection(name: "other")
        try await other.save(document: MutableDocument(id: "o"))
        try await collection.delete(id: "a")
        let time = Date().addingTimeInterval(5)
        try await collection.setDocumentExpiration(id: "a", expiration: time)
        try await collection.setDocumentExpiration(id: "b", expiration: time)
        try await other.setDocumentExpiration(id: "o", expiration: time)
        try await collection.setDocumentExpiration(id: "b", expiration: nil)
        for _ in 0..<6000 where try await !other.changes(since: 0).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        for _ in 0..<6000 where try await collection.changes(since: 0).count > 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await collection.changes(since: 0).map(\.id) == ["b", "c"])
    }

    @Test("thousands that expire together are purged in several transactions")
    func many() throws {
        try test.database.write { _ in
            for index in 0..<2500 {
                try collection.save(document: MutableDocument(id: "\(index)"))
                try collection.setDocumentExpiration(id: "\(index)", expiration: Date(timeIntervalSince1970: 1))
            }
        }
        try test.database.purgeExpiredDocuments()
        #expect(try collection.count == 3)
    }
}
