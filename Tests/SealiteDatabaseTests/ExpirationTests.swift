import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("Expiration")
struct ExpirationTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let time: ManualTime
    private let configuration: DatabaseConfiguration

    init() throws {
        let time = ManualTime()
        var configuration = DatabaseConfiguration()
        configuration.time = time
        (self.time, self.configuration) = (time, configuration)
        test = try TestDatabase(configuration)
        collection = try test.collection
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
    }

    private func waitUntilGone(_ id: String, in collection: SealiteDatabase.Collection? = nil) async throws {
        let collection = collection ?? self.collection
        try await eventually("the end of \(id)") { try await collection.document(id: id) == nil }
    }

    /// A date so many seconds from now, by the time of the test.
    private func date(in seconds: Double) -> Date {
        Date(timeIntervalSince1970: Double(time.unixMilliseconds) / 1000 + seconds)
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
        try await collection.setDocumentExpiration(id: "b", expiration: date(in: 0.2))
        try await collection.setDocumentExpiration(id: "c", expiration: date(in: 3600))
        time.advance(by: .milliseconds(199))
        #expect(try await collection.document(id: "b") != nil)
        time.advance(by: .milliseconds(1))
        try await waitUntilGone("b")
        #expect(try await changes.next()?.documentIDs == ["b"])
        #expect(try await collection.changes(since: 0).map(\.id) == ["a", "c"])
    }

    @Test("a time that comes first is noticed though a later one was set before")
    func earlierTime() async throws {
        try await collection.setDocumentExpiration(id: "a", expiration: date(in: 3600))
        try await collection.setDocumentExpiration(id: "b", expiration: date(in: 0.1))
        time.advance(by: .milliseconds(100))
        try await waitUntilGone("b")
        try await collection.setDocumentExpiration(id: "a", expiration: date(in: 0.1))
        time.advance(by: .milliseconds(100))
        try await waitUntilGone("a")
    }

    @Test("a time that someone else set, who is gone when it comes, is noticed all the same")
    func setElsewhere() async throws {
        let follower = try test.reopened(configuration)
        // The follower looked and found nothing to wait for; then another process, as it were, sets one and ends.
        await eventually("the first looks") { time.waiterCount == 2 }
        try await collection.setDocumentExpiration(id: "b", expiration: date(in: 0.3))
        try await test.database.close()
        let left = try follower.collection
        time.advance(by: .seconds(59))
        #expect(try await left.document(id: "b") != nil)
        time.advance(by: .seconds(1))
        try await waitUntilGone("b", in: left)
    }

    @Test("times survive reopening, and documents whose time came meanwhile are purged at once")
    func reopening() async throws {
        try await collection.setDocumentExpiration(id: "a", expiration: date(in: 0.15))
        try await collection.setDocumentExpiration(id: "b", expiration: date(in: 0.4))
        try await test.database.close()
        time.advance(by: .milliseconds(200))
        let again = try test.reopened(configuration)
        let collection = try again.collection
        try await waitUntilGone("a", in: collection)
        #expect(try collection.count == 2)
        // The end of "a" is seen before the next wait begins, which an advance in between would lengthen.
        try await eventually("the end of b") {
            time.advance(by: .milliseconds(200))
            return try await collection.document(id: "b") == nil
        }
        #expect(try await collection.documents(in: DocumentRange()).map(\.id) == ["c"])
    }

    @Test("tombstones and documents of other collections expire too, a clear in time saves one")
    func others() async throws {
        let other = try await test.database.createCollection(name: "other")
        try await other.save(document: MutableDocument(id: "o"))
        try await collection.delete(id: "a")
        let end = date(in: 5)
        try await collection.setDocumentExpiration(id: "a", expiration: end)
        try await collection.setDocumentExpiration(id: "b", expiration: end)
        try await other.setDocumentExpiration(id: "o", expiration: end)
        try await collection.setDocumentExpiration(id: "b", expiration: nil)
        time.advance(by: .seconds(5))
        try await eventually("their ends") {
            let left = try await collection.changes(since: 0).count
            return try await other.changes(since: 0).isEmpty && left == 2
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
