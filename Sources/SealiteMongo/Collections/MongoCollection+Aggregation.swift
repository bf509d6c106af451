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
    /// The pipeline runs as its documents are asked for, out of the state in which the database is when the first one is. Stages such as `$sort` and
    /// `$group` read all their input first. A pipeline that ends with `$out` or `$merge` is one transaction and gives no documents.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) -> AggregateSequence<Value> {
        AggregateSequence(collection, pipeline, options)
    }
}

/// The documents that a pipeline makes, made in parts while they are asked for.
public struct AggregateSequence<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = Value

    private let collection: Collection
    private let pipeline: [MongoDocument]
    private let options: AggregateOptions

    init(_ collection: Collection, _ pipeline: [MongoDocument], _ options: AggregateOptions) {
        (self.collection, self.pipeline, self.options) = (collection, pipeline, options)
    }

    /// Begins a run of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: AggregateReader(collection, pipeline, options)) }

    /// Returns all documents.
    public func toArray() async throws -> [Value] {
        var values: [Value] = []
        for try await value in self { values.append(value) }
        return values
    }

    /// Gives one document after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: AggregateReader
        private let coding = DocumentCoding<Value>()
        private var batch: [MongoDocument] = []
        private var place = 0

        fileprivate init(reader: AggregateReader) { self.reader = reader }

        /// The next document; nil behind the last one.
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
