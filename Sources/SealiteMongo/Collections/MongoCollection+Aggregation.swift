internal import SealiteDatabase
public import SealiteValues

/// The options of `aggregate`.
public struct AggregateOptions: Sendable {
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument
    /// The bytes that stages such as `$group` and `$sort` may hold together.
    public var memoryLimit: Int

    /// Options.
    public init(`let` variables: MongoDocument = [:], memoryLimit: Int = 256 * 1024 * 1024) {
        (self.let, self.memoryLimit) = (variables, memoryLimit)
    }
}

extension MongoCollection {
    /// Returns the documents that a pipeline makes of the collection's, as values of a type.
    ///
    /// The pipeline runs when the first document is asked for, out of one state of the database; one that ends with `$out`
    /// or `$merge` is one transaction.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) -> AggregateSequence<Value> {
        AggregateSequence { [collection] in try await AggregateRun(pipeline, options).documents(of: collection) }
    }
}

/// The documents that a pipeline makes.
public struct AggregateSequence<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = Value

    private let run: @Sendable () async throws -> [MongoDocument]

    init(_ run: @escaping @Sendable () async throws -> [MongoDocument]) { self.run = run }

    /// Begins a run of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(run: run) }

    /// Returns all documents.
    public func toArray() async throws -> [Value] {
        let coding = DocumentCoding<Value>()
        return try await run().map(coding.decode)
    }

    /// Gives one document after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let run: @Sendable () async throws -> [MongoDocument]
        private var documents: ArraySlice<MongoDocument>?

        fileprivate init(run: @escaping @Sendable () async throws -> [MongoDocument]) { self.run = run }

        /// The next document; nil behind the last one.
        public mutating func next() async throws -> Value? {
            var left = documents
            if left == nil { left = try await run()[...] }
            let document = left?.popFirst()
            documents = left
            return try document.map(DocumentCoding<Value>().decode)
        }
    }
}

/// A pipeline with the conditions of its first stage, which the collection's rows are filtered by.
struct AggregateRun: Sendable {
    private let filter: Filter
    private let pipeline: Pipeline
    private let isWriting: Bool
    private let options: PipelineOptions

    init(_ stages: [MongoDocument], _ options: AggregateOptions) throws {
        let context = FilterContext(variables: options.let)
        self.options = PipelineOptions(now: context.now, memoryLimit: options.memoryLimit)
        // Read as a whole first, so that a filter that isn't one is refused as a stage.
        _ = try Pipeline(parsing: stages, variables: options.let)
        if let first = stages.first, first.count == 1, case .document(let conditions)? = first["$match"] {
            filter = try Filter(parsing: conditions, context: context)
            pipeline = try Pipeline(parsing: Array(stages.dropFirst()), variables: options.let)
        } else {
            filter = Filter(.all([]))
            pipeline = try Pipeline(parsing: stages, variables: options.let)
        }
        isWriting = ["$out", "$merge"].contains(stages.last?.keys.first)
    }

    /// Runs the pipeline in a snapshot, or in a transaction where it writes.
    func documents(of collection: Collection) async throws -> [MongoDocument] {
        guard isWriting else { return try await collection.database.read { try run(collection) } }
        return try await collection.database.write { _ in try run(collection) }
    }

    private func run(_ collection: Collection) throws -> [MongoDocument] {
        let store = DatabasePipelineStore(database: collection.database, scope: collection.scopeName, options: options)
        var rows = try pipeline.rows(
            from: CollectionRows.cursor(collection, filter), options: options, store: store)
        var documents: [MongoDocument] = []
        while let row = try rows.next() { documents.append(row.document) }
        return documents
    }
}
