internal import SealiteDatabase
internal import SealiteValues

/// The documents that a `find` returns, read in batches on demand, from one snapshot of the database.
///
/// A `find` with a blocking sort reads all documents before it returns the first one; if it has a limit, it holds at
/// most as many documents as it skips and returns.
public struct FindSequence<T: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document, decoded as `T`.
    public typealias Element = T

    private let collection: Collection
    private let coding: DocumentCoding<T>
    private let filter: MongoDocument
    private let options: FindOptions

    init(_ collection: Collection, _ coding: DocumentCoding<T>, _ filter: MongoDocument, _ options: FindOptions) {
        (self.collection, self.coding, self.filter, self.options) = (collection, coding, filter, options)
    }

    /// Returns an iterator. Each iterator reads the documents again.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: FindReader(collection, filter, options), coding: coding)
    }

    /// Returns all documents.
    public func toArray() async throws -> [T] {
        var values: [T] = []
        for try await value in self { values.append(value) }
        return values
    }

    /// Returns the first document; nil if there is none.
    public func first() async throws -> T? {
        for try await value in self { return value }
        return nil
    }

    /// An iterator over the documents of a `find`.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: FindReader
        fileprivate let coding: DocumentCoding<T>
        private var batch: [MongoDocument] = []
        private var place = 0

        fileprivate init(reader: FindReader, coding: DocumentCoding<T>) {
            (self.reader, self.coding) = (reader, coding)
        }

        private func nextBatch() async throws -> [MongoDocument] {
            try Task.checkCancellation()
            if let batch = try reader.nextBatchIfShort() { return batch }
            let reader = reader
            return try await reader.interruption.run { try reader.nextBatch() }
        }

        /// Returns the next document; nil after the last document.
        public mutating func next() async throws -> T? {
            if place == batch.count {
                place = 0
                batch = try await nextBatch()
            }
            guard place < batch.count else { return nil }
            defer { place += 1 }
            return try coding.decode(batch[place])
        }
    }
}
