internal import SealiteDatabase
internal import SealiteValues

/// Sorts the documents of a `find` for which no index has the order.
///
/// The documents are held up to `byteLimit` bytes of memory. If there are more, only their row numbers are, with the
/// keys of the values by which they are sorted, and a document is read again when it is returned.
struct BlockingSort {
    /// The number of bytes of memory, by estimate, that the documents may take.
    static let byteLimit = 32 << 20

    private enum Content {
        case documents(SortHeap)
        case numbers(SortedNumbers)
    }

    private let order: SortOrder
    private let limit: Int
    private let byteLimit: Int
    private let work = WorkMeter()
    private var content: Content
    private var byteCount = 0

    /// Creates a sort without documents, of which the first `limit` are wanted.
    init(_ order: SortOrder, limit: Int, byteLimit: Int = byteLimit) {
        (self.order, self.limit, self.byteLimit) = (order, limit, byteLimit)
        content = .documents(SortHeap(order: order, limit: limit, work))
    }

    /// Adds the document of a statement's row with the columns `id`, `body` and `number`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    mutating func add(_ statement: borrowing PreparedStatement) throws {
        let row = Row(statement)
        try add(row, order.values(of: row), number: statement.int64(at: 2))
    }

    /// Adds a document with its sort values and its row number, by which documents with equal values are ordered.
    mutating func add(_ row: Row, _ values: [BSON], number: Int64) throws {
        // The content is moved out and back, so that it isn't copied.
        switch exchange(&content, with: .documents(SortHeap(order: .none, limit: 0, work))) {
        case .documents(var heap):
            byteCount += try heap.add(row, values, number: number)
            content = byteCount <= byteLimit ? .documents(heap) : .numbers(try numbers(of: heap))
        case .numbers(var numbers):
            try numbers.add(values, number: number)
            content = .numbers(numbers)
        }
    }

    private func numbers(of heap: SortHeap) throws -> SortedNumbers {
        var numbers = SortedNumbers(order, limit: limit, work)
        try heap.forEach { try numbers.add($0, number: $1) }
        return numbers
    }

    /// The first documents of the order.
    enum Sorted {
        case documents([Row])
        /// The documents' row numbers.
        case numbers([Int64])
    }

    /// Returns the first documents that were added, in their order.
    consuming func sorted() throws -> Sorted {
        switch content {
        case .documents(let heap): .documents(try heap.sorted())
        case .numbers(var numbers): .numbers(try numbers.sorted())
        }
    }
}

/// The documents of a sort whose row numbers are known, read one by one while the calling thread reads a snapshot.
final class NumberedCursor {
    private let snapshot: HeldSnapshot
    private let sql: String
    private var numbers: ArraySlice<Int64>

    /// Creates a cursor over the documents of a collection with row numbers, in this order.
    init(_ numbers: [Int64], of collection: Collection, in snapshot: HeldSnapshot) {
        (self.snapshot, self.numbers) = (snapshot, numbers[...])
        sql = "SELECT id, body FROM documents_\(collection.number) WHERE number = ?1"
    }

    /// Returns the next document; nil after the last one.
    func next() throws -> Row? {
        guard let number = numbers.popFirst() else { return nil }
        var found: Row?
        try snapshot.forEachRow(sql, bind: { $0.bind(number, at: 1) }) { row in
            found = Row(row)
            return false
        }
        guard let found else {
            throw DatabaseError(
                .corruptData, "a document that was sorted can't be read again from the same snapshot",
                hint: "run \"sealite verify\" on the file")
        }
        return found
    }
}
