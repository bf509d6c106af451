import Foundation
import SealiteBase
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("expiration")
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
        // Time goes on meanwhile: the timer may have read the clock before the test moved it, and been set after that.
        try await eventually("the end of \(id)") {
            time.advance(by: .milliseconds(10))
            return try await collection.document(id: id) == nil
        }
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

    @Test("a document that is made again after its deletion doesn't get the time that an index set for the deleted one")
    func deletedDate() throws {
        try collection.createIndex(
            "at", KeyDefinition(paths: ["at"], isSparse: false, source: #"{"key":{"at":1},"expireAfterSeconds":10}"#))
        let json = #"{"at":{"$date":"2096-10-02T07:06:40.000Z"}}"#
        try collection.save(document: MutableDocument(id: "x", json: json))
        #expect(try collection.getDocumentExpiration(id: "x") == Date(timeIntervalSince1970: 4_000_000_010))
        try collection.delete(id: "x")
        #expect(try collection.getDocumentExpiration(id: "x") == nil)
        try collection.save(document: MutableDocument(id: "x"))
        #expect(try collection.getDocumentExpiration(id: "x") == nil)
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

    @Test("an expiration that is set while a check determines the time of the next one is checked at once")
    func setDuringCheck() throws {
        let time = SteppedTime()
        var configuration = DatabaseConfiguration()
        configuration.time = time
        let test = try TestDatabase(configuration)
        let collection = try test.collection
        for id in ["b", "c"] { try collection.save(document: MutableDocument(id: id)) }
        try collection.setDocumentExpiration(id: "c", expiration: date(in: 3600))
        // The first reading compares the clock with the expiration of "c", the second one determines the wait.
        time.call(atReading: 2) { try? collection.setDocumentExpiration(id: "b", expiration: .distantPast) }
        time.fire()
        #expect(try collection.getDocumentExpiration(id: "b") != nil)
        #expect(time.wait == .zero)
        time.fire()
        #expect(try collection.document(id: "b") == nil)
        #expect(time.wait == .seconds(60))
        try test.database.close()
    }

    @Test("a time that someone else set, who is gone when it comes, is noticed all the same")
    func setElsewhere() async throws {
        let follower = try test.reopened(configuration)
        // The follower looked, when it was opened and once more soon after, and found nothing to wait for; then another
        // process, as it were, sets one and ends.
        await eventually("the looks at opening") { time.waiterCount == 2 }
        time.advance(by: .seconds(2))
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
        try await collection.setDocumentExpiration(id: "b", expiration: date(in: 3600))
        try await test.database.close()
        time.advance(by: .milliseconds(200))
        let again = try test.reopened(configuration)
        let collection = try again.collection
        try await waitUntilGone("a", in: collection)
        #expect(try collection.count == 2)
        // The end of "a" is seen before the next wait begins, which an advance in between would lengthen.
        try await eventually("the end of b") {
            time.advance(by: .seconds(600))
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
            time.advance(by: .milliseconds(10))
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

/// A time that stands still, and in which a test fires the timer of the expirations.
private final class SteppedTime: TimeSource {
    private struct State {
        var fire: (@Sendable () -> Void)?
        var wait: Duration?
        var readingsUntilCall = 0
        var call: (@Sendable () -> Void)?
    }

    private final class SteppedTimer: RestartableTimer {
        private let time: SteppedTime

        init(_ time: SteppedTime) { self.time = time }

        func set(after duration: Duration, leeway: Duration) { time.state.withLock { $0.wait = duration } }

        func cancel() {}
    }

    private let still = ManualTime()
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { still.now }

    var unixMilliseconds: Int64 {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            state.readingsUntilCall -= 1
            return state.readingsUntilCall == 0 ? state.call.take() : nil
        }
        call?()
        return still.unixMilliseconds
    }

    /// The time for which the timer was set last.
    var wait: Duration? { state.withLock(\.wait) }

    func sleep(until moment: ContinuousClock.Instant) async throws { try await still.sleep(until: moment) }

    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) { still.after(duration, body) }

    func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer {
        guard label == "expiration" else { return still.makeTimer(label, fire) }
        state.withLock { $0.fire = fire }
        return SteppedTimer(self)
    }

    /// Calls a closure once, within a later reading of the clock: the first one for the number 1.
    func call(atReading number: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { ($0.readingsUntilCall, $0.call) = (number, body) }
    }

    /// Does what the timer does when it fires, on this thread.
    func fire() { state.withLock(\.fire)?() }
}
