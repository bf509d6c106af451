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
        let found = Row(body: row.bytes(at: 1) ?? [], id: DocumentKey.value(of: row.text(at: 0)))
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
