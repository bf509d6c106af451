public import SealiteDatabase
public import SealiteValues
internal import Synchronization

/// A parsed pipeline, split into the conditions of its first stage, if this is a `$match`, and the remaining stages.
/// The conditions filter the collection's documents.
struct AggregateRun: Sendable {
    /// A pipeline whose `$match`, if any, is followed by a `$sort`: the sort order, and the stages after the sort.
    private struct Sorted: Sendable {
        let order: SortOrder
        /// The number of documents that the `$limit` stage directly after the sort passes on; `Int.max` without such a
        /// stage.
        let limit: Int
        let pipeline: Pipeline
    }

    /// A Boolean value that says whether the last stage is `$out` or `$merge`.
    let isWriting: Bool
    /// The name of the collection to which the last stage writes; nil if it doesn't write.
    let target: String?
    /// The name of the scope to which the last stage writes; nil for that of the pipeline's collection.
    private let targetScope: String?
    /// The name of the vector index that the first stage searches; nil if it isn't `$vectorSearch`.
    private let searchedIndex: String?
    private let filter: Filter
    private let pipeline: Pipeline
    private let sorted: Sorted?
    private let options: PipelineOptions

    /// Parses a pipeline. `isOfDatabase` says whether it has no collection.
    init(_ stages: [MongoDocument], _ options: AggregateOptions, isOfDatabase: Bool = false) throws {
        let context = FilterContext(variables: options.let)
        self.options = PipelineOptions(now: context.now, memoryLimit: options.memoryLimit)
        // Parsed as a whole first, so that an invalid filter is refused with the error of its stage.
        let whole = try Pipeline(
            parsingValues: stages.map { .document($0) }, variables: options.let, isOfDatabase: isOfDatabase)
        isWriting = ["$out", "$merge"].contains(stages.last?.keys.first)
        (target, targetScope) = Self.target(of: stages.last ?? [:])
        searchedIndex = stages.first?["$vectorSearch"]?.members?["index"]?.text
        guard !isOfDatabase else {
            (filter, pipeline, sorted) = (Filter.everything, whole, nil)
            return
        }
        var rest = stages[...]
        if let first = stages.first, first.count == 1, case .document(let conditions)? = first["$match"] {
            filter = try Filter(parsing: conditions, context: context)
            rest = rest.dropFirst()
        } else {
            filter = Filter.everything
        }
        pipeline = try Pipeline(
            parsingValues: rest.map { .document($0) }, variables: options.let, metadata: filter.metadata)
        if let next = rest.first, next.count == 1, let specification = next["$sort"] {
            let tail = rest.dropFirst()
            let limit = tail.first?["$limit"]?.exactInt64.map { Int(clamping: $0) } ?? .max
            sorted = Sorted(
                order: try SortOrder(specification, metadata: filter.metadata), limit: limit,
                pipeline: try Pipeline(
                    parsingValues: tail.map { .document($0) }, variables: options.let, metadata: filter.metadata))
        } else {
            sorted = nil
        }
    }

    /// Returns the name of the collection to which a stage writes, and that of its scope: the operand of `$out` or
    /// `$merge`, or members of it; nil for any other stage.
    private static func target(of stage: MongoDocument) -> (name: String?, scope: String?) {
        var operand = stage["$out"] ?? stage["$merge"]
        var scope: String?
        while case .document(let members)? = operand {
            operand = members["into"] ?? members["coll"]
            scope = members["db"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        }
        return (operand?.text, scope)
    }

    /// Returns a Boolean value that says whether the last stage writes to a collection.
    func writes(to collection: Collection) -> Bool {
        target == collection.name && (targetScope ?? collection.scopeName) == collection.scopeName
    }

    /// Enters documents into the lists of the vector index that is searched, as far as the search gains by it. Must be
    /// called outside of a snapshot and of a transaction. `interruption` stops it.
    func prepare(_ target: AggregateTarget, _ interruption: Interruption) throws {
        guard let searchedIndex, let collection = target.collection,
            let index = try collection.indexRecords().first(where: { $0.name == searchedIndex })
        else { return }
        let control = WriteControl()
        interruption.setStop { control.stop() }
        try WriteControl.$current.withValue(control) {
            try collection.database.prepareSearch(ofIndex: index.number)
        }
    }

    /// Returns the rows that the pipeline produces from a target; the calling thread reads them in one snapshot or
    /// transaction.
    ///
    /// - Parameters:
    ///   - target: the collection or the database.
    ///   - snapshot: the snapshot that the calling thread is reading; nil inside a transaction.
    /// - Returns: the rows, which must be read in the same snapshot or transaction.
    /// - Throws: `MongoError` if a variable can't be evaluated, and errors of the storage.
    func rows(of target: AggregateTarget, in snapshot: HeldSnapshot?) throws -> RowCursor {
        let store = DatabasePipelineStore(target: target, options: options)
        guard let collection = target.collection else {
            return try pipeline.rows(from: RowCursor([]), options: options, store: store)
        }
        if let sorted, let snapshot, filter.text == nil,
            let order = try IndexOrder.best(filter, sorted.order, collection)
        {
            let cursor = try OrderedCursor(
                order, filter, limit: sorted.limit, memoryLimit: options.memoryLimit, in: snapshot)
            return try sorted.pipeline.rows(from: RowCursor { try cursor.next() }, options: options, store: store)
        }
        return try pipeline.rows(from: CollectionRows.cursor(collection, filter), options: options, store: store)
    }
}

extension MongoCollection {
    /// Returns the documents that a pipeline produces from the collection, as values of a type.
    ///
    /// The pipeline runs on demand, on a snapshot of the database that is taken when the first document is asked for.
    /// Stages such as `$sort` and `$group` read all their input first. A pipeline that ends with `$out` or `$merge` is
    /// one transaction and returns no documents.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) -> AggregateSequence<Value> {
        AggregateSequence(.collection(collection), pipeline, options, isSynced: isSynced)
    }
}

extension MongoStore {
    /// Returns the documents that a pipeline produces, as values of a type: from a collection, or from none.
    ///
    /// A pipeline without a collection begins with a stage such as `$documents`. A collection that doesn't exist has no
    /// documents, and isn't created. See ``MongoCollection/aggregate(_:options:as:)``.
    ///
    /// - Throws: `DatabaseError` with `badName` for an invalid name, and for errors of the storage.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], on collection: String? = nil, scope: String = Database.defaultScopeName,
        options: AggregateOptions = AggregateOptions(), as type: Value.Type = MongoDocument.self
    ) throws -> AggregateSequence<Value> {
        let target: AggregateTarget
        if let collection {
            let found = try database.collection(name: collection, scope: scope)
            target = found.map { .collection($0) } ?? .missing(database, scope: scope, name: collection)
        } else {
            target = .database(database, scope: scope)
        }
        return AggregateSequence(target, pipeline, options, isSynced: false)
    }
}

/// The collection or database on which a pipeline is run.
enum AggregateTarget: Sendable {
    case collection(Collection)
    /// A collection that doesn't exist.
    case missing(Database, scope: String, name: String)
    case database(Database, scope: String)

    /// The collection; nil if there is none.
    var collection: Collection? { if case .collection(let collection) = self { collection } else { nil } }

    var database: Database {
        switch self {
        case .collection(let collection): collection.database
        case .missing(let database, _, _), .database(let database, _): database
        }
    }

    var scopeName: String {
        switch self {
        case .collection(let collection): collection.scopeName
        case .missing(_, let scope, _), .database(_, let scope): scope
        }
    }

    /// The name of the collection, also of one that doesn't exist; nil for a database.
    var name: String? {
        switch self {
        case .collection(let collection): collection.name
        case .missing(_, _, let name): name
        case .database: nil
        }
    }
}

/// The options of `aggregate`.
public struct AggregateOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument
    /// The number of bytes that stages such as `$group` and `$sort` may hold in total, by estimate. A pipeline that
    /// needs more throws `MongoError` 146.
    public var memoryLimit: Int

    /// Creates options.
    public init(`let` variables: MongoDocument = [:], memoryLimit: Int = 256 * 1024 * 1024) {
        (self.let, self.memoryLimit) = (variables, memoryLimit)
    }
}

/// The documents that a pipeline produces, in batches on demand.
public struct AggregateSequence<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document of the result, decoded as `Value`.
    public typealias Element = Value

    private let target: AggregateTarget
    private let pipeline: [MongoDocument]
    private let options: AggregateOptions
    private let isSynced: Bool

    init(_ target: AggregateTarget, _ pipeline: [MongoDocument], _ options: AggregateOptions, isSynced: Bool) {
        (self.target, self.pipeline, self.options, self.isSynced) = (target, pipeline, options, isSynced)
    }

    /// Returns an iterator. Each iterator runs the pipeline again.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            reader: AggregateReader(
                target, pipeline, options, isSynced: isSynced, prepare: TypedCoding<Value>.prepared))
    }

    /// Returns all documents.
    public func toArray() async throws -> [Value] {
        var values: [Value] = []
        for try await value in self { values.append(value) }
        return values
    }

    /// An iterator over the documents that a pipeline produces.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: AggregateReader
        private let coding = TypedCoding<Value>()
        private var batch: [Row] = []
        private var place = 0

        init(reader: AggregateReader) { self.reader = reader }

        /// Returns the next document; nil after the last document.
        public mutating func next() async throws -> Value? {
            if place == batch.count {
                (batch, place) = (try await reader.nextBatch(), 0)
            }
            guard place < batch.count else { return nil }
            defer { place += 1 }
            return try coding.decode(batch[place])
        }
    }
}

/// Reads the documents of an aggregation in batches, from one snapshot of the database, which is held until the last
/// document is read or the reader is released.
///
/// A pipeline that writes runs as one transaction when its first document is asked for; it returns no documents.
final class AggregateReader: Sendable {
    private enum State {
        case unopened
        case streaming(Stream)
        case ended
    }

    /// The rows of a pipeline in progress.
    // Sendable: only the thread that holds the reader's mutex uses a stream.
    private final class Stream: @unchecked Sendable {
        let snapshot: HeldSnapshot
        var rows: RowCursor

        init(_ snapshot: HeldSnapshot, _ rows: RowCursor) { (self.snapshot, self.rows) = (snapshot, rows) }

        deinit { snapshot.end() }
    }

    /// The limits of a batch: the number of documents, and the bytes of stored bodies at which the batch ends.
    private static let batch = (documents: 128, bytes: 256 * 1024)

    private let interruption = Interruption()
    private let target: AggregateTarget
    private let stages: [MongoDocument]
    private let options: AggregateOptions
    /// A Boolean value that says whether writes to the collection go through its per-document sync.
    private let isSynced: Bool
    private let state = Mutex(State.unopened)
    /// Prepares the rows of a batch for the calling task.
    private let prepare: @Sendable ([Row]) -> [Row]

    init(
        _ target: AggregateTarget, _ stages: [MongoDocument], _ options: AggregateOptions, isSynced: Bool,
        prepare: @escaping @Sendable ([Row]) -> [Row]
    ) {
        (self.target, self.stages, self.options, self.isSynced) = (target, stages, options, isSynced)
        self.prepare = prepare
    }

    /// Returns the next documents; empty after the last one.
    func nextBatch() async throws -> [Row] {
        guard let run = try takeRun() else { return try await interruption.run { try self.readBatch(nil) } }
        guard run.isWriting else { return try await interruption.run { try self.readBatch(run) } }
        try await interruption.run { try run.prepare(self.target, self.interruption) }
        try await write(run)
        return []
    }

    /// Runs a pipeline that writes as one transaction.
    private func write(_ run: AggregateRun) async throws {
        let target = target
        let body: @Sendable () throws -> Void = {
            var rows = try run.rows(of: target, in: nil)
            while try rows.next() != nil {}
        }
        guard isSynced, let collection = target.collection, run.writes(to: collection) else {
            return try await target.database.write { _ in try body() }
        }
        try await collection.database.writeSynced(collection) { _ in try body() }
    }

    /// Parses the pipeline at the first call and returns it; returns nil at later calls.
    private func takeRun() throws -> AggregateRun? {
        try state.withLock { state in
            guard case .unopened = state else { return nil }
            state = .ended
            if case .database = target { return try AggregateRun(stages, options, isOfDatabase: true) }
            return try AggregateRun(stages, options)
        }
    }

    /// Reads the next documents: the first ones of the pipeline `run`, or, if `run` is nil, those of the pipeline in
    /// progress. Empty after the last document.
    private func readBatch(_ run: AggregateRun?) throws -> [Row] {
        try state.withLock { state in
            do {
                if let run { state = try begin(run) }
                guard case .streaming(let stream) = state else { return [] }
                let rows = try stream.snapshot.read { try read(stream) }
                if rows.isEmpty { state = .ended }
                return rows
            } catch {
                state = .ended
                throw error
            }
        }
    }

    private func begin(_ run: AggregateRun) throws -> State {
        try run.prepare(target, interruption)
        let snapshot = try target.database.holdSnapshot()
        interruption.setStop { snapshot.interrupt() }
        return .streaming(Stream(snapshot, try snapshot.read { try run.rows(of: target, in: snapshot) }))
    }

    private func read(_ stream: Stream) throws -> [Row] {
        var (rows, byteCount) = ([Row](), 0)
        while rows.count < Self.batch.documents, byteCount < Self.batch.bytes, let row = try stream.rows.next() {
            try interruption.check()
            rows.append(row)
            byteCount += row.bodyByteCount
        }
        return prepare(rows)
    }
}
