internal import SealiteDatabase
internal import SealiteQuery

/// Reads the objects of a query on demand.
// Sendable: a `ResultSet` may be used from any thread, and all other properties are immutable.
final class ObjectReader<M: Model>: Sendable {
    /// The maximum number of objects that are passed to a task at once.
    private static var batchCount: Int { 128 }

    private let results: ResultSet?
    private let coder: ModelCoder<M>
    private let database: Database

    /// Creates a reader. Its `ResultSet` is registered with `running`, which can cancel the query.
    init(_ query: ObjectQuery<M>, _ running: Running? = nil) throws {
        (coder, database) = try query.coder()
        results = try query.whole()?.execute()
        if let results { running?.set(results) }
    }

    func next() throws -> M? {
        guard let row = try results?.nextResult() else { return nil }
        return try coder.object(row, in: database)
    }

    func all() throws -> [M] {
        var objects: [M] = []
        while let object = try next() { objects.append(object) }
        return objects
    }

    func batch() throws -> [M] {
        var objects: [M] = []
        while objects.count < Self.batchCount, let object = try next() { objects.append(object) }
        return objects
    }
}

extension ModelCoder {
    /// Returns the object that is decoded from a row of ``ObjectQuery/whole()``.
    func object(_ row: SealiteQuery.Result, in database: Database) throws -> M {
        try object(id: row.string(at: 0) ?? "", body: row.element(at: 1) ?? [], in: database)
    }
}
