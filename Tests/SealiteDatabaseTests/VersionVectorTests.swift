import Foundation
import SealiteCrypto
import SealiteFile
import SealiteRevisions
import Synchronization
import Testing

@testable import SealiteDatabase

/// A system clock that a test sets.
private final class TestTime: Sendable {
    private let time = Mutex(UInt64(0x18E9_F04B_267A_0000))

    var now: UInt64 { time.withLock { $0 } }
    func advance(by nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }
    func goBack(by nanoseconds: UInt64) { time.withLock { $0 -= nanoseconds } }

    var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.versioning = .vectors
        configuration.versionTime = { self.time.withLock { $0 } }
        return configuration
    }
}

@Suite("documents with version vectors")
struct VersionVectorTests {
    private let time = TestTime()
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase(time.configuration)
        collection = try test.collection
    }

    private func save(_ id: String, _ value: Int) throws -> Document {
        try collection.save(document: MutableDocument(id: id).setInt(value, forKey: "v"))
    }

    private func source(_ database: SealiteDatabase.Database) throws -> SourceID {
        let stored = try database.reading { try FormatTables.property("source", in: $0) }
        return try #require(stored.flatMap { SourceID(bytes: $0) })
    }

    @Test("a save makes a version of the database's source, later than the one before")
    func saves() throws {
        let source = try source(test.database)
        let first = try save("a", 1)
        #expect(first.revisionID == "18e9f04b267a0000@\(source)")
        #expect(first.timestamp == 0x18E9_F04B_267A_0000)
        let second = try collection.save(document: first.toMutable().setInt(2, forKey: "v"))
        #expect(second.revisionID == "18e9f04b267a0001@\(source)")
        time.goBack(by: 3_600_000_000_000)
        try collection.delete(document: second)
        let third = try #require(try collection.revisions(id: "a").first)
        #expect(third.isDeleted && third.isCurrent && third.id.description == "18e9f04b267a0002@\(source)")
        time.advance(by: 3_600_000_000_000 + 0x1_0000)
        // One time went to the new document, before the row of the tombstone was met.
        #expect(try save("a", 3).revisionID == "18e9f04b267b0001@\(source)")
        #expect(try collection.document(id: "a")?.int(forKey: "v") == 3)
        #expect(try collection.revisions(id: "a").count == 1)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a stale edit conflicts, and the last writer wins")
    func staleEdits() throws {
        let first = try save("a", 1)
        _ = try collection.save(document: first.toMutable().setInt(2, forKey: "v"))
        let stale = first.toMutable().setInt(3, forKey: "v")
        #expect(try !collection.save(document: stale, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.save(document: stale).int(forKey: "v") == 3)
    }

    @Test("an invalid body, or one that is too large, makes no version")
    func refused() throws {
        #expect(
            code { try collection.save(document: MutableDocument(id: "a").setString("x", forKey: "_rev")) }
                == .invalidParameter)
        var configuration = time.configuration
        configuration.maximumDocumentByteCount = 100
        let small = try TestDatabase(configuration)
        let large = MutableDocument(id: "a").setString(String(repeating: "x", count: 100), forKey: "v")
        #expect(code { try small.collection.save(document: large) } == .documentTooLarge)
    }

    @Test("a clock past its latest time isn't reported as an invalid revision id")
    func exhausted() throws {
        var configuration = time.configuration
        configuration.versionTime = { .max }
        let late = try TestDatabase(configuration)
        #expect(code { try late.collection.save(document: MutableDocument(id: "a")) } == .unexpected)
    }

    @Test(
        "after a restart, and in another process, times go on where the system's clock was set back",
        arguments: [false, true])
    func restart(isOpen: Bool) throws {
        let first = try save("a", 1)
        try collection.purge(id: "a")
        if !isOpen { try test.database.close() }
        time.goBack(by: 86_400_000_000_000)
        let other = try test.reopened(time.configuration)
        let second = try other.collection.save(document: MutableDocument(id: "a"))
        #expect(second.timestamp > first.timestamp)
        // Not more ahead than what is stored at once.
        #expect(second.timestamp < first.timestamp + 2 * HybridClock.lead)
        guard isOpen else { return }
        #expect(try save("b", 1).timestamp > second.timestamp)
    }

    @Test("a transaction that is undone, whole or in part, takes no time back")
    func undone() throws {
        struct Stop: Error {}
        let times = Mutex<[UInt64]>([])
        func note(_ document: Document) { times.withLock { $0.append(document.timestamp) } }
        for _ in 0..<3 {
            #expect(throws: Stop.self) {
                try test.database.write { _ in
                    note(try save("a", 1))
                    try? test.database.write { _ in
                        note(try save("b", 1))
                        throw Stop()
                    }
                    note(try save("c", 1))
                    throw Stop()
                }
            }
            note(try save("a", 2))
            time.goBack(by: 1_000_000)
        }
        let given = times.withLock { $0 }
        #expect(given.count == 12 && zip(given, given.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("saves by a process each, 30 ms after one another, aren't ahead of the clock")
    func quickProcesses() throws {
        for value in 0..<20 {
            time.advance(by: 30_000_000)
            let process = try test.reopened(time.configuration)
            let saved = try process.collection.save(document: MutableDocument(id: "a").setInt(value, forKey: "v"))
            #expect(saved.timestamp <= time.now)
            try process.database.close()
        }
    }

    @Test("the clock is stored once in ten milliseconds")
    func clockIsStoredSeldom() throws {
        func stored() throws -> [UInt8]? { try test.database.reading { try FormatTables.property("clock", in: $0) } }
        #expect(try stored() == nil)
        _ = try save("a", 1)
        let first = try stored()
        time.advance(by: 9_000_000)
        _ = try save("a", 2)
        #expect(try first != nil && stored() == first)
        time.advance(by: 2_000_000)
        _ = try save("a", 3)
        #expect(try stored() != first)
    }

    /// Stores a peer's version of a document, that many seconds ahead of the clock.
    private func receive(_ id: String, ahead seconds: Double) throws -> UInt64 {
        let received = time.now + UInt64(seconds * 1_000_000_000)
        let version = Version("\(String(received, radix: 16))@AQIDBAUGBwgJCgsMDQ4PEA")
        let revision = IncomingRevision(documentID: id, version: version, body: Array("{}".utf8))
        #expect(try collection.insert(revision) == .inserted)
        return received
    }

    private func edit(_ id: String, _ value: Int, in collection: SealiteDatabase.Collection? = nil) throws -> UInt64 {
        let collection = collection ?? self.collection
        let document = try #require(try collection.document(id: id)).toMutable().setInt(value, forKey: "v")
        return try collection.save(document: document).timestamp
    }

    @Test("a peer's clock that is ahead makes the changes of its document late, and of no other, after a restart too")
    func aheadOfTheClock() throws {
        _ = try save("other", 1)
        let received = try receive("a", ahead: 119.9)
        let second: UInt64 = 1_000_000_000
        #expect(try edit("other", 2) <= time.now + second && save("new", 1).timestamp <= time.now + second)
        let edited = try edit("a", 1)
        #expect(edited > received && edited < received + 100)
        #expect(try collection.revisions(id: "a").count == 2)
        #expect(try edit("other", 3) <= time.now + second)
        // A second one of these, and those of another process, get other times.
        let process = try test.reopened(time.configuration)
        let again = try edit("a", 2, in: process.collection)
        #expect(again > edited && again < received + 100)
        #expect(try edit("other", 4, in: process.collection) <= time.now + second)
        try process.database.close()
        _ = try receive("b", ahead: 60)
        let late = try edit("b", 1)
        #expect(late > time.now + 60 * second && late < time.now + 61 * second)
        #expect(try save("c", 1).timestamp <= time.now + second)
        #expect(try test.database.integrityFindings().isEmpty)
        // Once the clock is there, all is as ever.
        time.advance(by: 130 * second)
        #expect(try edit("a", 3) > again && edit("other", 5) > again)
        #expect(try save("d", 1).timestamp <= time.now + second)
    }

    @Test(
        "a document that is purged while its version is ahead of the clock, and created again, has a later version",
        arguments: [true, false])
    func purgedAhead(isDeleted: Bool) throws {
        _ = try receive("a", ahead: 100)
        let edited = try edit("a", 1)
        // Another database has changed it since: its history has the version.
        let follower = IncomingRevision(
            documentID: "a", version: Version("\(String(edited + 5, radix: 16))@EBESExQVFhcYGRobHB0eHw"),
            history: [Version("\(String(edited, radix: 16))@\(try source(test.database))")], body: Array("{}".utf8))
        #expect(try collection.insert(follower) == .inserted)
        if isDeleted { try collection.delete(document: try #require(try collection.document(id: "a"))) }
        try collection.purge(id: "a")
        let process = try test.reopened(time.configuration)
        #expect(try process.collection.save(document: MutableDocument(id: "b")).timestamp < time.now + 2_000_000_000)
        let created = try process.collection.save(document: MutableDocument(id: "a"))
        #expect(created.timestamp > edited)
        #expect(try process.collection.revisions(id: "a").count == 1)
        try process.database.close()
        #expect(try save("c", 1).timestamp < time.now + 2_000_000_000)
    }

    @Test("a collection that is deleted and created again gives its documents later versions")
    func deletedCollectionAhead() throws {
        let other = try test.database.createCollection(name: "other")
        let received = time.now + 100_000_000_000
        let version = Version("\(String(received, radix: 16))@AQIDBAUGBwgJCgsMDQ4PEA")
        _ = try other.insert(IncomingRevision(documentID: "a", version: version, body: Array("{}".utf8)))
        let edited = try edit("a", 1, in: other)
        try test.database.deleteCollection(name: "other")
        let again = try test.database.createCollection(name: "other")
        #expect(try again.save(document: MutableDocument(id: "a")).timestamp > edited)
    }

    @Test("a copy has a source of its own, made by this library or by other means")
    func copies() throws {
        let first = try save("a", 1)
        let path = test.folder.path + "/copy.db"
        try test.database.copy(to: path, slot: .rawKey(testKey(7)))
        let copy = try SealiteDatabase.Database(file: try TestDatabase.file(path), configuration: time.configuration)
        let copied = try copy.defaultCollection()
        #expect(copy.versioning == .vectors)
        #expect(try source(copy) != source(test.database))
        let changed = try copied.save(
            document: try #require(try copied.document(id: "a")).toMutable().setInt(2, forKey: "v"))
        #expect(try changed.revisionID.hasSuffix("@\(source(copy))") && changed.timestamp > first.timestamp)
        #expect(try copied.revisions(id: "a").map(\.id.description) == [changed.revisionID, first.revisionID])
        try copy.close()
        try test.database.close()
        let foreign = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: path, toPath: foreign.path + "/test.db")
        let other = try SealiteDatabase.Database(file: try TestDatabase.file(foreign.path + "/test.db"))
        let before = try source(other)
        let again = try other.defaultCollection().save(
            document: try #require(try other.defaultCollection().document(id: "a")).toMutable())
        #expect(try source(other) != before)
        #expect(try again.revisionID.hasSuffix("@\(source(other))"))
        #expect(try other.defaultCollection().revisions(id: "a").count == 3)
        // The next write is under the same one.
        let last = try source(other)
        _ = try other.defaultCollection().save(document: MutableDocument(id: "b"))
        #expect(try source(other) == last)
    }

    @Test("who can't tell the file's place writes under a source of its own, which nobody takes over")
    func unplaced() throws {
        let first = try save("a", 1)
        let stored = try source(test.database)
        var blind = time.configuration
        blind.sourcePlace = { _ in nil }
        var used: Set<String> = [stored.description]
        for _ in 0..<2 {
            // Two at once, which write in turn.
            let others = try [test.reopened(blind), test.reopened(blind)]
            let sources = try (0..<4).map { number in
                let collection = try others[number % 2].collection
                let document = try #require(try collection.document(id: "a")).toMutable().setInt(number, forKey: "v")
                return try String(#require(collection.save(document: document).revisionID.split(separator: "@").last))
            }
            #expect(sources[0] == sources[2] && sources[1] == sources[3])
            #expect(used.insert(sources[0]).inserted && used.insert(sources[1]).inserted)
            for other in others { try other.database.close() }
        }
        // Who can tell it goes on under the stored one.
        let last = try save("a", 2)
        #expect(try last.revisionID.hasSuffix("@\(stored)") && source(test.database) == stored)
        #expect(try last.timestamp > first.timestamp && collection.revisions(id: "a").count == 5)
        // A database that was made where the place can't be told has a source that writes nothing.
        let made = try TestDatabase(blind)
        let unused = try source(made.database)
        let document = try made.collection.save(document: MutableDocument(id: "a"))
        #expect(!document.revisionID.hasSuffix("@\(unused)"))
        let copy = try made.reopened(time.configuration)
        _ = try copy.collection.save(document: MutableDocument(id: "b"))
        #expect(try source(copy.database) != unused)
    }

    @Test(
        "what is salvaged keeps its versions, and gets a source of its own, also where the properties are lost",
        arguments: [false, true])
    func salvage(isLost: Bool) throws {
        let first = try save("a", 1)
        let source = try source(test.database)
        if isLost {
            try test.database.writer.withoutTransaction {
                try $0.run("DELETE FROM properties WHERE name NOT LIKE '%UUID'")
            }
        }
        try test.database.close()
        let path = test.folder.path + "/new.db"
        _ = try SealiteDatabase.Database.salvage(test.file, to: path)
        let salvaged = try SealiteDatabase.Database(
            file: try TestDatabase.file(path), configuration: time.configuration)
        #expect(try salvaged.versioning == .vectors && self.source(salvaged) != source)
        let collection = try salvaged.defaultCollection()
        let document = try #require(try collection.document(id: "a"))
        #expect(document.revisionID == first.revisionID)
        let second = try collection.save(document: document.toMutable().setInt(2, forKey: "v"))
        #expect(try collection.revisions(id: "a").map(\.id.description) == [second.revisionID, first.revisionID])
        #expect(try salvaged.integrityFindings().isEmpty)
    }

    @Test("a database of trees keeps them, and takes no versions")
    func trees() throws {
        let trees = try TestDatabase()
        _ = try trees.collection.save(document: MutableDocument(id: "a"))
        #expect(trees.database.versioning == .trees)
        #expect(try trees.reopened(time.configuration).database.versioning == .trees)
        let incoming = IncomingRevision(
            documentID: "b", version: Version("18e9f04b267a0000@AQIDBAUGBwgJCgsMDQ4PEA"), body: [])
        #expect(code { try trees.collection.insert(incoming) } == .badRevisionID)
        #expect(try trees.collection.document(id: "a")?.timestamp == 1)
    }
}
