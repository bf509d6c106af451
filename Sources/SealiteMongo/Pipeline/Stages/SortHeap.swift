internal import SealiteValues

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
    private var entries: [Entry] = []
    private var count: Int64 = 0

    init(order: SortOrder, limit: Int) { (self.order, self.limit) = (order, limit) }

    /// Adds a row; of rows with equal sort values the one that was added first comes first.
    ///
    /// - Returns: the estimated bytes of memory by which the heap has grown; negative if it has shrunk.
    mutating func add(_ row: Row) -> Int {
        defer { count += 1 }
        return add(row, order.values(of: row), number: count)
    }

    /// Adds a row with its sort values; of rows with equal sort values the one with the lower number comes first.
    ///
    /// - Returns: the estimated bytes of memory by which the heap has grown; negative if it has shrunk.
    mutating func add(_ row: Row, _ values: [BSON], number: Int64) -> Int {
        let entry = Entry(values: values, number: number, row: row)
        guard entries.count >= limit else {
            entries.append(entry)
            if entries.count == limit { arrange() }
            return entry.byteCount
        }
        // The root of the heap is the last row of the order.
        guard limit > 0, isBefore(entry, entries[0]) else { return 0 }
        let growth = entry.byteCount - entries[0].byteCount
        entries[0] = entry
        sink(0)
        return growth
    }

    /// Returns the first rows in the sort order.
    func sorted() -> [Row] { entries.sorted(by: isBefore).map(\.row) }

    private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        let order = order.compare(left.values, right.values)
        return order == 0 ? left.number < right.number : order < 0
    }

    private mutating func arrange() {
        for index in stride(from: entries.count / 2, through: 0, by: -1) { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while case let left = 2 * parent + 1, left < entries.count {
            let right = left + 1
            let child = right < entries.count && isBefore(entries[left], entries[right]) ? right : left
            guard isBefore(entries[parent], entries[child]) else { return }
            entries.swapAt(parent, child)
            parent = child
        }
    }
}
