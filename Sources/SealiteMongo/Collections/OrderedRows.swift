internal import SealiteDatabase
internal import SealiteValues

/// Completes the order of documents that an index returns: documents whose keys are equal are held until the last of
/// them has been read, and are then sorted.
struct OrderedRows {
    private let order: IndexOrder
    /// The number of documents that are still needed.
    private var wanted: Int
    private var run: SortHeap
    private let work = WorkMeter()
    /// The part of the index key that the held documents have in common; nil if no documents are held.
    private var runKey: [UInt8]?
    /// The estimated memory of the documents that are held, in bytes.
    private(set) var heldByteCount = 0

    init(_ order: IndexOrder, limit: Int) {
        self.order = order
        wanted = limit
        run = SortHeap(order: order.sort, limit: limit, work)
    }

    /// Adds the document of a row of the SQL statement `IndexOrder.sql`, and returns the documents whose position in
    /// the sort order is final now, in this order.
    mutating func add(_ row: borrowing PreparedStatement) throws -> [Row] {
        let found = Row(row)
        return try add(found, number: row.int64(at: 2), keyByteCount: Int(clamping: row.int64(at: 3)))
    }

    /// Adds the next document that the index returns.
    ///
    /// - Parameters:
    ///   - row: the document.
    ///   - number: the document's row number.
    ///   - keyByteCount: the length of the document's index entry in bytes.
    /// - Returns: the rows whose position in the sort order is final now, in this order.
    /// - Throws: `CancellationError` if the task is cancelled.
    mutating func add(_ row: Row, number: Int64, keyByteCount: Int) throws -> [Row] {
        // A truncated key only determines the order of its prefix.
        if order.isExact, keyByteCount < OrderKey.maximumByteCount {
            let ready = try finish()
            wanted -= 1
            return ready + [row]
        }
        let values = order.sort.values(of: row)
        let key = order.servedKey(values)
        var ready: [Row] = []
        if key != runKey {
            ready = try finish()
            runKey = key
        }
        heldByteCount += try run.add(row, values, number: number)
        return ready
    }

    /// Returns the documents that are held in their sort order, and no longer holds them.
    mutating func finish() throws -> [Row] {
        guard runKey != nil else { return [] }
        let rows = try run.sorted()
        wanted -= rows.count
        run = SortHeap(order: order.sort, limit: max(wanted, 0), work)
        runKey = nil
        heldByteCount = 0
        return rows
    }
}

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
    init(_ order: IndexOrder, _ filter: Filter, limit: Int, memoryLimit: Int = .max, in snapshot: HeldSnapshot) throws {
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
            try require(
                order.heldByteCount <= memoryLimit,
                .tooLarge("$sort holds more than \(memoryLimit) bytes, the pipeline's memoryLimit."))
            return !ready.isEmpty
        }
        guard !hasMore else { return }
        isAtEnd = true
        ready += try order.finish()
    }
}
