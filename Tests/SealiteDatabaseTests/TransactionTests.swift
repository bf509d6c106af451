import Foundation
import Testing

@testable import SealiteDatabase

@Suite("transactions")
struct TransactionTests {
    struct Stop: Error {}

    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    @Test("a transaction that throws leaves nothing, and its sequences are given again")
    func rollback() throws {
        #expect(throws: Stop.self) {
            try database.write { _ in
                try collection.save(
                    document: MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: [1, 2]), forKey: "b"))
                try database.createCollection(name: "new")
                throw Stop()
            }
        }
        #expect(try collection.count == 0)
        #expect(try database.collection(name: "new") == nil)
        #expect(try database.statistics().blobCount == 0)
        #expect(try collection.save(document: MutableDocument(id: "b")).sequence == 1)
    }

    @Test("reads inside a transaction see its changes, reads outside don't until it commits")
    func isolation() throws {
        try database.inBatch {
            try collection.save(document: MutableDocument(id: "a"))
            #expect(try collection.document(id: "a") != nil)
            #expect(try collection.count == 1)
            let outside = try Self.onAnotherThread { try collection.document(id: "a") }
            #expect(outside == nil)
        }
        #expect(try collection.document(id: "a") != nil)
    }

    private static func onAnotherThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws
        -> Result
    {
        let box = ResultBox<Result>()
        let thread = Thread { box.set(Swift.Result { try body() }) }
        thread.start()
        return try box.wait().get()
    }

    // Sendable: the semaphore orders the one write of `value` before the one read.
    private final class ResultBox<Value: Sendable>: @unchecked Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private var value: Result<Value, any Error> = .failure(Stop())

        func set(_ new: Result<Value, any Error>) {
            value = new
            semaphore.signal()
        }

        func wait() -> Result<Value, any Error> {
            semaphore.wait()
            return value
        }
    }

    @Test("a nested transaction that throws takes back only its own changes")
    func savepoints() throws {
        try database.write { _ in
            try collection.save(document: MutableDocument(id: "a"))
            #expect(throws: Stop.self) {
                try database.write { _ in
                    try collection.save(document: MutableDocument(id: "b"))
                    try database.write { _ in try collection.purge(id: "a") }
                    throw Stop()
                }
            }
            try database.inBatch { try collection.save(document: MutableDocument(id: "c")) }
        }
        #expect(try collection.changes(since: 0).map(\.id) == ["a", "c"])
        #expect(try collection.changes(since: 0).map(\.sequence) == [1, 2])
    }

    @Test("a failed save inside a transaction leaves the rest of it usable")
    func failureInside() throws {
        try database.write { _ in
            try collection.save(document: MutableDocument(id: "a"))
            #expect(code { try collection.save(document: MutableDocument(id: "_bad")) } == .badDocumentID)
            try collection.save(document: MutableDocument(id: "b"))
        }
        #expect(try collection.count == 2)
    }

    @Test("a snapshot keeps showing one state while others commit")
    func snapshot() throws {
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        try database.read {
            #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
            try collection.save(document: MutableDocument(id: "a").setInt(2, forKey: "x"))
            #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
            let nested = try database.read { try collection.document(id: "a") }
            #expect(nested?.int(forKey: "x") == 1)
        }
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 2)
    }

    @Test("asynchronous transactions and reads do what the others do")
    func asynchronous() async throws {
        let (database, collection) = (database, collection)
        let count = try await database.write { _ in
            for index in 0..<10 { try collection.save(document: MutableDocument(id: "\(index)")) }
            return try collection.count
        }
        #expect(count == 10)
        await #expect(throws: Stop.self) {
            try await database.write { _ in
                try collection.save(document: MutableDocument(id: "x"))
                throw Stop()
            }
        }
        #expect(try await collection.document(id: "x") == nil)
        #expect(try await collection.document(id: "3")?.id == "3")
        #expect(try await database.read { try collection.count } == 10)
        #expect(try await collection.documents(ids: ["1", "none", "2"]).map(\.id) == ["1", "2"])
        let document = MutableDocument(id: "y")
        #expect(try await collection.save(document: document, concurrencyControl: .failOnConflict).isSaved)
        try await collection.delete(id: "y")
        try await collection.purge(id: "y")
    }

    @Test("many tasks that read and write at once lose nothing")
    func concurrency() async throws {
        let (database, collection) = (database, collection)
        try await collection.save(document: MutableDocument(id: "counter").setInt(0, forKey: "n"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<25 {
                        try await database.write { _ in
                            guard let counter = try collection.document(id: "counter") else { throw Stop() }
                            try collection.save(
                                document: counter.toMutable().setInt(counter.int(forKey: "n") + 1, forKey: "n"))
                        }
                        try await collection.save(document: MutableDocument(id: "\(task)-\(index)"))
                        _ = try await collection.document(id: "\(task)-\(index)")
                        _ = try await collection.documents(ids: ["\((task + 1) % 8)-\(index)"])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await collection.document(id: "counter")?.int(forKey: "n") == 200)
        #expect(try collection.count == 201)
        #expect(try collection.lastSequence == 401)
    }
}
