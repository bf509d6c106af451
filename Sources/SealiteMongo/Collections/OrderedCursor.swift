internal import SealiteDatabase
internal import SealiteValues

/// The documents that fulfil a filter, in the order of an index, read one by one while the calling thread reads a
/// snapshot.
final class OrderedCursor {
    private let rows: SnapshotRows
    private let filter: Filter
    private let memoryLimit: Int
    private var order: OrderedRows
    /// The documents, not yet returned, whose position in the order is known.
    private var ready: ArraySlice<Row> = []
    private(set) var isAtEnd = false

    /// Creates a cursor over the documents that fulfil a filter, in the order of an index.
    ///
    /// - Parameters:
    ///   - order: the order of the index.
    ///   - filter: the filter.
    ///   - limit: the number of documents that are needed, from the first one.
    ///   - memoryLimit: the number of bytes of documents that may be held, by estimate.
    ///   - snapshot: the snapshot that the calling thread is reading.
    /// - Throws: errors of the storage.
    init(
        _ order: IndexOrder, _ filter: Filter, limit: Int, memoryLimit: Int = .max, in snapshot: HeldSnapshot
    ) throws {
        rows = try snapshot.rows(order.sql) { order.bind($0) }
        (self.filter, self.memoryLimit) = (filter, memoryLimit)
        self.order = OrderedRows(order, limit: limit)
    }

    /// Returns the next document; nil after the last one. Throws `MongoError` 146 if the held documents exceed the
    /// memory limit.
    func next() throws -> Row? {
        if ready.isEmpty, !isAtEnd { try readMore() }
        return ready.popFirst()
    }

    /// Reads rows until the position of a document in the order is known, or until there are no more rows.
    private func readMore() throws {
        let hasMore = try rows.fetch { row in
            guard try filter.match(row) != nil else { return false }
            ready += try order.add(row)
            guard order.heldByteCount <= memoryLimit else {
                throw MongoError.tooLarge("$sort holds more than \(memoryLimit) bytes, the pipeline's memoryLimit.")
            }
            return !ready.isEmpty
        }
        guard !hasMore else { return }
        isAtEnd = true
        ready += try order.finish()
    }
}
