internal import SealiteValues

extension StageKind {
    /// The stage `$sort`, which sorts the rows.
    static let sorts: [StageKind] = [
        .init("$sort") { specification, parser in
            SortStage(order: try SortOrder(specification, metadata: parser.expressions.metadata), limit: nil)
        }
    ]
}

/// The stage `$sort`. `limit` is the number of rows that the `$limit` stage directly after it passes on; nil if there
/// is none.
struct SortStage: Stage {
    let order: SortOrder
    let limit: Int?

    /// Returns this stage or, before a `$limit`, one that keeps only the rows that the `$limit` passes on.
    func followed(by next: any Stage) -> any Stage {
        guard let next = next as? LimitStage else { return self }
        return SortStage(order: order, limit: min(next.count, limit ?? next.count))
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            var input = input
            var heap = SortHeap(order: order, limit: limit ?? .max, run.work)
            while let row = try input.next() {
                try run.memory.take(heap.add(row), for: "$sort")
            }
            return run.cursor(try heap.sorted())
        }
    }
}

/// The first rows of a sort order among those that were added, at most `limit`.
struct SortHeap {
    private struct Entry {
        let values: [BSON]
        let number: Int64
        let row: Row

        var byteCount: Int { row.memoryByteCount + values.reduce(0) { $0 + $1.memoryByteCount } }
    }

    private let order: SortOrder
    private let limit: Int
    private let work: WorkMeter
    private var entries: [Entry] = []
    private var count: Int64 = 0

    /// Creates an empty heap, which charges its comparisons to `work`.
    init(order: SortOrder, limit: Int, _ work: WorkMeter) { (self.order, self.limit, self.work) = (order, limit, work) }

    /// Adds a row; of rows with equal sort values the one that was added first comes first.
    ///
    /// - Returns: the estimated bytes of memory by which the heap has grown; negative if it has shrunk.
    mutating func add(_ row: Row) throws -> Int {
        defer { count += 1 }
        return try add(row, order.values(of: row), number: count)
    }

    /// Adds a row with its sort values; of rows with equal sort values the one with the lower number comes first.
    ///
    /// - Returns: the estimated bytes of memory by which the heap has grown; negative if it has shrunk.
    mutating func add(_ row: Row, _ values: [BSON], number: Int64) throws -> Int {
        let entry = Entry(values: values, number: number, row: row)
        guard entries.count >= limit else {
            entries.append(entry)
            if entries.count == limit { try arrange() }
            return entry.byteCount
        }
        // The root of the heap is the last row of the order.
        guard limit > 0, try isBefore(entry, entries[0]) else { return 0 }
        let growth = entry.byteCount - entries[0].byteCount
        entries[0] = entry
        try sink(0)
        return growth
    }

    /// Returns the first rows in the sort order.
    func sorted() throws -> [Row] { try entries.sorted(by: isBefore).map(\.row) }

    /// Calls `body` with the sort values and the number of each row, in no order.
    func forEach(_ body: ([BSON], Int64) throws -> Void) rethrows {
        for entry in entries { try body(entry.values, entry.number) }
    }

    private func isBefore(_ left: Entry, _ right: Entry) throws -> Bool {
        let order = try order.compare(left.values, right.values, work)
        return order == 0 ? left.number < right.number : order < 0
    }

    private mutating func arrange() throws {
        for index in stride(from: entries.count / 2, through: 0, by: -1) { try sink(index) }
    }

    private mutating func sink(_ start: Int) throws {
        var parent = start
        while case let left = 2 * parent + 1, left < entries.count {
            let right = left + 1
            let child = try right < entries.count && isBefore(entries[left], entries[right]) ? right : left
            guard try isBefore(entries[parent], entries[child]) else { return }
            entries.swapAt(parent, child)
            parent = child
        }
    }
}
