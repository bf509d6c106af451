internal import SealiteValues

/// The accumulator of `$top`, `$topN`, `$bottom` and `$bottomN`.
///
/// Up to twice the requested number of entries are kept, so that the amortized cost of a selection is small.
final class SortedAccumulator: Accumulator {
    /// The sort values of a row followed by its output value, and the row's position in the input.
    private struct Entry {
        let values: [BSON]
        let number: Int
    }

    private let order: SortOrder
    private let count: Int
    private let isLast: Bool
    private let isSeveral: Bool
    private var entries: [Entry] = []
    private var added = 0
    private let work: WorkMeter

    init(_ order: SortOrder, count: Int, isLast: Bool, isSeveral: Bool, _ work: WorkMeter) {
        (self.order, self.count, self.isLast, self.isSeveral) = (order, count, isLast, isSeveral)
        self.work = work
    }

    func add(_ value: BSON?) throws -> Int {
        guard case .array(let values) = value else { return 0 }
        entries.append(Entry(values: values, number: added))
        added += 1
        let growth = value?.memoryByteCount ?? 0
        guard entries.count / 2 >= count else { return growth }
        let before = Self.byteCount(entries)
        entries = try chosen()
        return growth - (before - Self.byteCount(entries))
    }

    private static func byteCount(_ entries: [Entry]) -> Int {
        entries.reduce(0) { $0 + BSON.array($1.values).memoryByteCount }
    }

    /// Returns the requested entries, from the start of the sort order or, if `isLast`, from its end, in the sort
    /// order. Of equal entries those of earlier rows are chosen.
    private func chosen() throws -> [Entry] {
        let sorted = try entries.sorted { left, right in
            let place = try order.compare(left.values, right.values, work)
            return place == 0 ? (left.number < right.number) != isLast : place < 0
        }
        return isLast ? sorted.suffix(count) : Array(sorted.prefix(count))
    }

    func result() throws -> BSON {
        let outputs = try chosen().compactMap(\.values.last)
        return isSeveral ? .array(outputs) : outputs.first ?? .null
    }
}
