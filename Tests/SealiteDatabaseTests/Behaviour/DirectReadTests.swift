import Foundation
import GRDB
import SealiteGRDB
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("reads of one document")
struct DirectReadTests {
    /// The progress that a test's threads share.
    private final class Progress: Sendable {
        let committed = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        let found = Atomic<Int>(0)
    }

    private let progress = Progress()
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        try collection.save(document: MutableDocument(id: "counter").setInt(0, forKey: "n"))
    }

    private func count() throws -> Int? { try collection.document(id: "counter")?.int(forKey: "n") }

    /// So many reads that SQLite's lock is left from one to the next.
    private func readOften() throws {
        for _ in 0..<200 { _ = try count() }
    }

    private func setCount(_ value: Int, _ collection: SealiteDatabase.Collection) throws {
        try collection.save(document: MutableDocument(id: "counter").setInt(value, forKey: "n"))
    }

    @Test("a read sees what was committed before it, by this database and by another one")
    func seesCommits() throws {
        let others = [collection, try test.reopened().collection]
        for value in 1...40 {
            try readOften()
            try setCount(value, others[value % 2])
            #expect(try count() == value)
        }
    }

    @Test("reads in many threads, while the document changes, never go back behind what was committed")
    func threads() async throws {
        let threads = (0..<6).map { _ in
            Task.detached { [self] in
                while !progress.isDone.load(ordering: .acquiring) {
                    let before = progress.committed.load(ordering: .acquiring)
                    if try count() ?? -1 < before { progress.found.add(1, ordering: .relaxed) }
                }
            }
        }
        for value in 1...300 {
            try setCount(value, collection)
            progress.committed.store(value, ordering: .releasing)
        }
        progress.isDone.store(true, ordering: .releasing)
        for thread in threads { try await thread.value }
        #expect(progress.found.load(ordering: .relaxed) == 0)
    }

    @Test("reads in many threads while the database closes either read or throw notOpen")
    func closing() async throws {
        let readers = (0..<4).map { _ in
            Task.detached { [self] in
                while true {
                    do {
                        _ = try count()
                    } catch let error as SealiteDatabase.DatabaseError {
                        #expect(error.code == .notOpen)
                        progress.found.add(1, ordering: .relaxed)
                        return
                    }
                }
            }
        }
        try readOften()
        try await test.database.close()
        for reader in readers { try await reader.value }
        #expect(progress.found.load(ordering: .relaxed) == 4)
        let other = try test.file.makeQueue()
        #expect(try other.inDatabase { try Int.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") } == 0)
    }

    @Test("a database that reads no more holds the log of no other up")
    func idle() throws {
        try readOften()
        let other = try test.file.makeQueue()
        // Without an end where the lock is never given up.
        while try other.inDatabase({ try Int.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }) != 0 {}
        #expect(try count() == 0)
    }

    @Test("the log is begun anew although reads go on between the transactions")
    func logSize() throws {
        let text = String(repeating: "sealite ", count: 1 << 17)
        for value in 1...24 {
            try readOften()
            try collection.save(document: MutableDocument(id: "large").setString(text + String(value), forKey: "text"))
        }
        let log = try FileManager.default.attributesOfItem(atPath: test.folder.path + "/test.db-wal")[.size] as? Int
        #expect(try #require(log) < 12 << 20)
    }

    @Test("a document of a collection that was deleted can't be read, whichever connection deleted it")
    func deletedCollection() throws {
        let doomed = try test.database.createCollection(name: "doomed")
        try doomed.save(document: MutableDocument(id: "a"))
        for _ in 0..<200 { #expect(try doomed.document(id: "a") != nil) }
        try test.reopened().database.deleteCollection(name: "doomed")
        #expect(code { _ = try doomed.document(id: "a") } == .notOpen)
    }
}
