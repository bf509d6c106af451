internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQuery
internal import SealiteValues

/// The objects of a type that fulfil a condition, in an order. A value: each call gives another query, and reading begins anew each time.
///
/// ```swift
/// let dogs = store.objects(Dog.self).where("age >= $age AND breed = $breed", ["age": 5, "breed": "Beagle"]).sorted("name")
/// for try await dog in dogs { print(dog.name) }
/// ```
public struct ObjectQuery<M: Model>: AsyncSequence, Sendable {
    /// An object.
    public typealias Element = M

    /// The objects' name in conditions, where one is needed: no property is called so.
    private static var alias: String { "`$object`" }

    private let store: ModelStore
    private var conditions: [String] = []
    private var parameters: [String: any QueryParameter] = [:]
    private var order: [String] = []
    private var window: (limit: Int, offset: Int)?

    init(_ store: ModelStore) { self.store = store }

    // MARK: - Narrowing

    /// Narrows the query to objects that fulfil a condition of SQL++ (Documentation/QueryLanguage.md), as well as those given before.
    ///
    /// - Parameters:
    ///   - condition: the condition, whose names are members of the documents.
    ///   - parameters: the values of its parameters, by their names without the `$`.
    /// - Returns: the narrowed query.
    public func `where`(_ condition: String, _ parameters: [String: any QueryParameter] = [:]) -> ObjectQuery {
        var query = self
        query.conditions.append("(\(condition))")
        query.parameters.merge(parameters) { _, new in new }
        return query
    }

    /// Sorts the objects by an expression of SQL++, mostly a member; where that is the same, by what is given later.
    public func sorted(_ expression: String, ascending: Bool = true) -> ObjectQuery {
        var query = self
        query.order.append("\(expression) \(ascending ? "ASC" : "DESC")")
        return query
    }

    /// Limits the query to a number of objects, behind as many others.
    public func limit(_ count: Int, offset: Int = 0) -> ObjectQuery {
        var query = self
        query.window = (Swift.max(count, 0), Swift.max(offset, 0))
        return query
    }

    // MARK: - Reading

    /// Returns all objects, out of one state of the database.
    ///
    /// - Throws: `invalidQuery` for a condition that isn't one, and `decodingFailed` where a document doesn't fit the type.
    public func all() throws -> [M] { try ObjectReader<M>(self).all() }

    /// As the other, without blocking the calling task's thread. Cancelling the task ends the reading with an error.
    public func all() async throws -> [M] {
        let running = Running()
        return try await withTaskCancellationHandler {
            try await Offload.run { try ObjectReader<M>(self, running).all() }
        } onCancel: {
            running.cancel()
        }
    }

    /// Returns the first object; nil where there is none.
    public func first() throws -> M? { try ObjectReader<M>(limit(1, offset: window?.offset ?? 0)).next() }

    /// As the other, without blocking the calling task's thread.
    public func first() async throws -> M? { try await Offload.run { try first() as M? } }

    /// Counts the objects, without reading them.
    public func count() throws -> Int {
        let found = try query("COUNT(*)", isWhole: false)?.execute().nextResult()?.int(at: 0) ?? 0
        guard let window else { return found }
        return Swift.min(Swift.max(found - window.offset, 0), window.limit)
    }

    /// As the other, without blocking the calling task's thread.
    public func count() async throws -> Int { try await Offload.run { try count() as Int } }

    /// Returns the plan of the query: what is scanned, what is looked up in which index.
    public func explain() throws -> String { try whole()?.explain() ?? "" }

    /// Begins a reading of its own, out of the state in which the database is when the first object is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// Gives one object after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: ObjectQuery
        private var reader: ObjectReader<M>?
        private var batch: ArraySlice<M> = []

        fileprivate init(query: ObjectQuery) { self.query = query }

        /// The next object; nil behind the last one.
        public mutating func next() async throws -> M? {
            if let object = batch.popFirst() { return object }
            try Task.checkCancellation()
            let (query, known) = (query, reader)
            let (reader, objects) = try await Offload.run {
                let reader = try known ?? ObjectReader(query)
                return (reader, try reader.batch())
            }
            (self.reader, batch) = (reader, objects[...])
            return batch.popFirst()
        }
    }

    // MARK: - The query in SQL++

    /// The query for the IDs and the bodies of the documents.
    fileprivate func whole() throws -> Query? {
        try query("META(\(Self.alias)).id, \(Self.alias)", isWhole: true)
    }

    fileprivate func coder() throws -> (ModelCoder<M>, Database) {
        (ModelCoder(try ModelPlan.of(M.self), userInfo: store.configuration.userInfo), store.database)
    }

    /// The query; nil where there is no collection to read.
    private func query(_ columns: String, isWhole: Bool) throws -> Query? {
        guard let collection = try store.existingBinding(M.self)?.collection else { return nil }
        var text = "SELECT \(columns) FROM `\(collection.scopeName)`.`\(collection.name)` AS \(Self.alias)"
        if !conditions.isEmpty { text += " WHERE \(conditions.joined(separator: " AND "))" }
        if isWhole {
            if !order.isEmpty { text += " ORDER BY \(order.joined(separator: ", "))" }
            if let window { text += " LIMIT \(window.limit) OFFSET \(window.offset)" }
        }
        let query = try store.database.createQuery(text)
        let values = Parameters()
        for (name, value) in parameters { values.setValue(try value.queryValue(), forName: name) }
        query.parameters = values
        return query
    }
}

/// Reads the objects of a query, each as it is asked for.
///
// Sendable: a result may be used by any thread, and everything else is immutable.
private final class ObjectReader<M: Model>: Sendable {
    /// The objects that are given at once to a task.
    private static var batchCount: Int { 128 }

    private let results: ResultSet?
    private let coder: ModelCoder<M>
    private let database: Database

    /// A reader, of which `running` is told, which can end it.
    init(_ query: ObjectQuery<M>, _ running: Running? = nil) throws {
        (coder, database) = try query.coder()
        results = try query.whole()?.execute()
        if let results { running?.set(results) }
    }

    func next() throws -> M? {
        guard let row = try results?.nextResult() else { return nil }
        return try coder.object(id: row.string(at: 0) ?? "", body: row.element(at: 1) ?? [], in: database)
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
