import SealiteFile
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("writes that are cancelled")
struct WriteControlTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    /// A task that writes, and that its own transaction can cancel.
    private final class Writing: Sendable {
        let task = Mutex<Task<Void, any Error>?>(nil)

        /// Cancels the task, once it is known.
        func cancel() {
            eventuallyBlocking("the task") { task.withLock { $0 != nil } }
            task.withLock { $0?.cancel() }
        }

        func start(_ work: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
            let task = Task(operation: work)
            self.task.withLock { $0 = task }
            return await task.result
        }
    }

    private func requireCancelled(_ result: Result<Void, any Error>) throws {
        #expect(throws: DatabaseError(.cancelled, "")) { try result.get() }
        #expect(try collection.count == 0)
        // The writer can go on.
        try collection.save(document: MutableDocument(id: "later"))
        #expect(try collection.count == 1)
    }

    @Test("a transaction that is cancelled after its last call isn't committed")
    func beforeCommit() async throws {
        let writing = Writing()
        let (database, collection) = (database, collection)
        let result = await writing.start {
            try await database.write { transaction in
                try transaction.save(MutableDocument(id: "a"), in: collection)
                writing.cancel()
            }
        }
        try requireCancelled(result)
    }

    @Test("each call on a cancelled transaction fails, also on its collections and in a savepoint")
    func calls() async throws {
        let writing = Writing()
        let (database, collection) = (database, collection)
        let result = await writing.start {
            try await database.write { transaction in
                try transaction.save(MutableDocument(id: "a"), in: collection)
                writing.cancel()
                let cancelled = DatabaseError(.cancelled, "")
                #expect(throws: cancelled) { try transaction.save(MutableDocument(id: "b"), in: collection) }
                #expect(throws: cancelled) { _ = try transaction.document(id: "a", in: collection) }
                #expect(throws: cancelled) { try collection.save(document: MutableDocument(id: "b")) }
                #expect(throws: cancelled) { try transaction.nested { _ in } }
                #expect(throws: cancelled) { try database.createCollection(name: "new") }
            }
        }
        try requireCancelled(result)
        #expect(try await database.collection(name: "new") == nil)
    }

    @Test("a running statement of a cancelled transaction is interrupted")
    func statement() async throws {
        let writing = Writing()
        let (database, collection) = (database, collection)
        let result = await writing.start {
            try await database.write { transaction in
                try transaction.save(MutableDocument(id: "a"), in: collection)
                Offload.start { writing.cancel() }
                // Ends only if it is interrupted.
                try database.readRows("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n") {
                    _ in
                }
            }
        }
        try requireCancelled(result)
    }

    @Test("a transaction of a stopped control is rolled back on this thread too, and later ones aren't")
    func control() throws {
        let control = WriteControl()
        #expect(throws: DatabaseError(.cancelled, "")) {
            try WriteControl.$current.withValue(control) {
                try database.write { transaction in
                    try transaction.save(MutableDocument(id: "a"), in: collection)
                    control.stop()
                }
            }
        }
        try requireCancelled(.failure(DatabaseError(.cancelled, "")))
    }

    @Test("a task that is cancelled after the commit gets the result")
    func afterCommit() async throws {
        let writing = Writing()
        let (database, collection) = (database, collection)
        let committed = collection.addChangeListener { _ in }
        defer { committed.remove() }
        let result = await writing.start {
            let saved = try await database.write { try $0.save(MutableDocument(id: "a"), in: collection).id }
            writing.cancel()
            #expect(saved == "a")
        }
        try result.get()
        #expect(try collection.count == 1)
    }

    @Test("a blob whose storing is cancelled leaves nothing")
    func blob() async throws {
        let writing = Writing()
        let database = database
        let pieces = Mutex(0)
        let blob = Blob(
            contentType: nil,
            contentStream: { count in
                let number = pieces.withLock { pieces in
                    pieces += 1
                    return pieces
                }
                // The first 4 MiB are stored by then.
                if number == 100 { writing.cancel() }
                return number < 200 ? [UInt8](repeating: 1, count: count) : []
            })
        let result = await writing.start { try await database.saveBlob(blob: blob) }
        #expect(throws: DatabaseError(.cancelled, "")) { try result.get() }
        #expect(try await database.statistics().blobCount == 0)
        #expect(try database.scalar(sql: "SELECT count(*) FROM blob_chunks") == 0)
    }

    @Test("a commit that fails under a control is rolled back, and the writer can go on")
    func failedCommit() throws {
        try database.writer.withoutTransaction { connection in
            try connection.run("PRAGMA foreign_keys = ON")
            try connection.run("CREATE TABLE p (x PRIMARY KEY)")
            try connection.run("CREATE TABLE c (y REFERENCES p (x) DEFERRABLE INITIALLY DEFERRED)")
        }
        #expect(throws: (any Error).self) {
            try WriteControl.$current.withValue(WriteControl()) {
                try database.writer.perform(database) { transaction in
                    try collection.save(document: MutableDocument(id: "a"))
                    try transaction.connection.run("INSERT INTO c VALUES (1)")
                }
            }
        }
        #expect(try collection.count == 0)
        try collection.save(document: MutableDocument(id: "b"))
        #expect(try collection.count == 1)
    }
}
