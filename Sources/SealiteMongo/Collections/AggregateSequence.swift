internal import SealiteDatabase
internal import SealiteValues

/// The documents that a pipeline produces, in batches on demand.
public struct AggregateSequence<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document of the result, decoded as `Value`.
    public typealias Element = Value

    private let collection: Collection
    private let pipeline: [MongoDocument]
    private let options: AggregateOptions
    private let isSynced: Bool

    init(_ collection: Collection, _ pipeline: [MongoDocument], _ options: AggregateOptions, isSynced: Bool) {
        (self.collection, self.pipeline, self.options, self.isSynced) = (collection, pipeline, options, isSynced)
    }

    /// Returns an iterator. Each iterator runs the pipeline again.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: AggregateReader(collection, pipeline, options, isSynced: isSynced))
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
        private let coding = DocumentCoding<Value>()
        private var batch: [MongoDocument] = []
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
