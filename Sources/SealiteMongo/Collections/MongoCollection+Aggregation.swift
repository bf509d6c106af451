internal import SealiteDatabase
public import SealiteValues

/// The options of `aggregate`.
public struct AggregateOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument
    /// The number of bytes that stages such as `$group` and `$sort` may hold in total.
    public var memoryLimit: Int

    /// Creates options.
    public init(`let` variables: MongoDocument = [:], memoryLimit: Int = 256 * 1024 * 1024) {
        (self.let, self.memoryLimit) = (variables, memoryLimit)
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
        AggregateSequence(collection, pipeline, options)
    }
}

/// The documents that a pipeline produces, in batches on demand.
public struct AggregateSequence<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = Value

    private let collection: Collection
    private let pipeline: [MongoDocument]
    private let options: AggregateOptions

    init(_ collection: Collection, _ pipeline: [MongoDocument], _ options: AggregateOptions) {
        (self.collection, self.pipeline, self.options) = (collection, pipeline, options)
    }

    /// Returns an iterator, which runs the pipeline anew.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: AggregateReader(collection, pipeline, options)) }

    /// Returns all documents.
    public func toArray() async throws -> [Value] {
        var values: [Value] = []
        for try await value in self { values.append(value) }
        return values
    }

    /// An iterator over the documents that a pipeline produces.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: AggregateReader
        private let coding = DocumentCoding<Value>()
        private var batch: [MongoDocument] = []
        private var place = 0

        fileprivate init(reader: AggregateReader) { self.reader = reader }

        /// Returns the next document; nil after the last one.
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
