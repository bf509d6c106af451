import Foundation
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("changes")
struct ChangeTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.pollingInterval = .milliseconds(50)
        test = try TestDatabase(configuration)
        collection = try test.collection
    }

    /// Collects ids from a feed until it has as many as wanted.
    private func ids(_ changes: CollectionChanges, count: Int) async throws -> [String] {
        var found: [String] = []
        for try await change in changes {
            found += change.documentIDs
            if found.count >= count { break }
        }
        return found
    }

    @Test("changes since a sequence name each document once, in order, with paging")
    func changesSince() async throws {
        for id in ["a", "b", "c"] { try await collection.save(document: MutableDocument(id: id)) }
        try await collection.save(document: MutableDocument(id: "a"))
        try await collection.delete(id: "b")
        let all = try await collection.changes(since: 0)
        #expect(all.map(\.id) == ["c", "a", "b"])
        #expect(all.map(\.sequence) == [3, 4, 5])
        #expect(all.map(\.isDeleted) == [false, false, true])
        #expect(try await collection.changes(since: 0, limit: 2).map(\.id) == ["c", "a"])
        #expect(try await collection.changes(since: 4).map(\.id) == ["b"])
        #expect(try await collection.changes(since: 5).isEmpty)
        #expect(try await collection.changes(since: .max).isEmpty)
    }

    @Test("a feed tells of saves, deletions and purges that were made after it was asked for")
    func feed() async throws {
        try await collection.save(document: MutableDocument(id: "before"))
        let changes = collection.changes
        try await collection.save(document: MutableDocument(id: "a"))
        try await collection.save(document: MutableDocument(id: "b"))
        var iterator = changes.makeAsyncIterator()
        #expect(try await iterator.next()?.documentIDs == ["a", "b"])
        try await collection.delete(id: "a")
        #expect(try await iterator.next()?.documentIDs == ["a"])
        try await collection.purge(id: "b")
        let purge = try await iterator.next()
        #expect(purge?.documentIDs == ["b"])
        #expect(purge?.hasUnnamedPurges == false)
    }

    @Test("a transaction that is rolled back tells nothing")
    func rollback() async throws {
        var iterator = collection.changes.makeAsyncIterator()
        _ = try? await test.database.write { _ in
            try collection.save(document: MutableDocument(id: "a"))
            throw TransactionTests.Stop()
        }
        try await collection.save(document: MutableDocument(id: "b"))
        #expect(try await iterator.next()?.documentIDs == ["b"])
    }

    @Test("a burst larger than a page is delivered in pages, nothing lost, nothing twice")
    func burst() async throws {
        let changes = collection.changes
        try await test.database.write { _ in
            for index in 0..<2500 { try collection.save(document: MutableDocument(id: "\(index)")) }
        }
        #expect(try await ids(changes, count: 2500) == (0..<2500).map(String.init))
    }

    @Test("another database on the same file is told at once, well before it would have polled")
    func otherDatabase() async throws {
        var configuration = DatabaseConfiguration()
        configuration.pollingInterval = .seconds(3600)
        let time = ManualTime()
        configuration.time = time
        let other = try test.reopened(configuration)
        var iterator = try other.collection.changes.makeAsyncIterator()
        let (collection) = (collection)
        async let saved = collection.save(document: MutableDocument(id: "x"))
        #expect(try await iterator.next()?.documentIDs == ["x"])
        _ = try await saved
    }

    @Test("changes by a connection that nobody here knows are found by polling")
    func foreignConnection() async throws {
        var iterator = collection.changes.makeAsyncIterator()
        try await collection.save(document: MutableDocument(id: "own"))
        #expect(try await iterator.next()?.documentIDs == ["own"])
        let foreign = try ForeignConnection(test.file)
        try foreign.copyRow("own", to: "foreign", sequence: 2)
        #expect(try await iterator.next()?.documentIDs == ["foreign"])
        try foreign.purge("foreign", sequence: 2)
        let purge = try await iterator.next()
        #expect(purge?.documentIDs == [])
        #expect(purge?.hasUnnamedPurges == true)
    }

    @Test("cancelling the task and closing the database end a feed")
    func ending() async throws {
        let (collection) = (collection)
        let task = Task {
            var count = 0
            for try await _ in collection.changes { count += 1 }
            return count
        }
        await eventually("a follower") { self.test.database.feed.followerCount == 1 }
        task.cancel()
        #expect(try await task.value == 0)
        let changes = collection.changes
        let heard = Mutex(0)
        let second = Task {
            for try await _ in changes { heard.withLock { $0 += 1 } }
            return true
        }
        while heard.withLock({ $0 }) == 0 { try await collection.save(document: MutableDocument()) }
        try await test.database.close()
        #expect(try await second.value)
        var late = collection.changes.makeAsyncIterator()
        await #expect(throws: SealiteDatabase.DatabaseError.self) { try await late.next() }
    }

    @Test("deleting the collection ends its feed")
    func deletedCollection() async throws {
        let doomed = try await test.database.createCollection(name: "doomed")
        let changes = doomed.changes
        try await test.database.deleteCollection(name: "doomed")
        for try await _ in changes { Issue.record("a change of a deleted collection") }
    }

    @Test("each purge is told once, with its id, however they overlap with looking")
    func purges() async throws {
        let (collection, count) = (collection, 300)
        try await test.database.write { _ in
            for number in 0..<count { try collection.save(document: MutableDocument(id: "\(number)")) }
        }
        let changes = collection.changes
        let follower = Task {
            var (told, isUnnamed) = ([String](), false)
            for try await change in changes {
                told += change.purgedDocumentIDs
                isUnnamed = isUnnamed || change.hasUnnamedPurges
                if told.count >= count { break }
            }
            return (told, isUnnamed)
        }
        for number in 0..<count {
            _ = try? await test.database.write { _ in
                try collection.purge(id: "\((number + 1) % count)")
                throw TransactionTests.Stop()
            }
            try await collection.purge(id: "\(number)")
        }
        let (told, isUnnamed) = try await follower.value
        #expect(told == (0..<count).map(String.init) && !isUnnamed)
    }

    @Test("deleting the collection ends its feed at once, well before it would have polled")
    func deletedCollectionAtOnce() async throws {
        var configuration = DatabaseConfiguration()
        configuration.pollingInterval = .seconds(3600)
        let time = ManualTime()
        configuration.time = time
        let other = try test.reopened(configuration)
        let doomed = try await other.database.createCollection(name: "doomed")
        var iterator = doomed.changes.makeAsyncIterator()
        try await doomed.save(document: MutableDocument(id: "a"))
        #expect(try await iterator.next()?.documentIDs == ["a"])
        // The poller's first look wakes everybody once; afterwards it waits, as does the timer of expirations.
        await eventually("the first look") { time.waiterCount == 2 }
        try await test.database.deleteCollection(name: "doomed")
        #expect(try await iterator.next() == nil)
    }

    @Test("a watch that isn't polled for opens no connection, and wakes at commits of this process")
    func unpolledWatch() async throws {
        var configuration = DatabaseConfiguration()
        configuration.pollingInterval = .milliseconds(1)
        let time = ManualTime()
        configuration.time = time
        let other = try test.reopened(configuration)
        await eventually("the timer of expirations") { time.waiterCount == 1 }
        let watch = ChangeWatch(other.database, collection: try other.collection.number, isPolled: false)
        try await collection.save(document: MutableDocument(id: "a"))
        #expect(await watch.wait())
        #expect(time.waiterCount == 1)
        let polled = ChangeWatch(other.database, collection: nil)
        await eventually("the first look") { time.waiterCount == 2 }
        polled.end()
        await eventually("no look any more") { time.waiterCount == 1 }
        try await other.database.close()
        #expect(await !watch.wait())
    }

    @Test("a document's feed tells of that document only, and of its first save and its purge")
    func documentFeed() async throws {
        var iterator = collection.documentChanges(id: "a").makeAsyncIterator()
        try await collection.save(document: MutableDocument(id: "b"))
        try await collection.save(document: MutableDocument(id: "a"))
        #expect(try await iterator.next()?.documentID == "a")
        try await collection.save(document: MutableDocument(id: "b"))
        try await collection.purge(id: "a")
        #expect(try await iterator.next()?.documentID == "a")
        #expect(try await collection.document(id: "a") == nil)
    }

    @Test("a listener is called until its token is removed or let go of")
    func listeners() async throws {
        let heard = Mutex<[String]>([])
        let token = collection.addChangeListener { change in heard.withLock { $0 += change.documentIDs } }
        var documentToken: ListenerToken? = collection.addDocumentChangeListener(id: "b", queue: .global()) { change in
            heard.withLock { $0.append("document " + change.documentID) }
        }
        try await collection.save(document: MutableDocument(id: "a"))
        await eventually("a call") { heard.withLock { $0.count } >= 1 }
        try await collection.save(document: MutableDocument(id: "b"))
        await eventually("three calls") { heard.withLock { $0.count } >= 3 }
        #expect(heard.withLock { Set($0) } == ["a", "b", "document b"])
        token.remove()
        #expect(documentToken != nil)
        documentToken = nil
        // Registered last, it is called when the others would have been.
        let last = collection.addChangeListener { _ in heard.withLock { $0.append("last") } }
        try await collection.save(document: MutableDocument(id: "b"))
        await eventually("the last call") { heard.withLock { $0.contains("last") } }
        last.remove()
        #expect(heard.withLock { $0.count } == 4)
    }

    @Test("feeds that were let go of leave nothing behind, not even an open database")
    func noLeaks() async throws {
        weak let database: SealiteDatabase.Database?
        do {
            let test = try TestDatabase()
            database = test.database
            let collection = try test.collection
            var iterator = collection.changes.makeAsyncIterator()
            try await collection.save(document: MutableDocument(id: "a"))
            _ = try await iterator.next()
            let token = collection.addChangeListener { _ in }
            token.remove()
        }
        await eventually("the database to go") { database == nil }
    }

    @Test("writers and followers at the same time: every follower hears of every document")
    func manyFollowers() async throws {
        let (collection) = (collection)
        try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for _ in 0..<4 {
                let changes = collection.changes
                group.addTask {
                    var found: Set<String> = []
                    for try await change in changes {
                        found.formUnion(change.documentIDs)
                        if found.count == 200 { break }
                    }
                    return found
                }
            }
            for writer in 0..<4 {
                for index in 0..<50 { try await collection.save(document: MutableDocument(id: "\(writer)-\(index)")) }
            }
            for try await found in group { #expect(found.count == 200) }
        }
    }
}
