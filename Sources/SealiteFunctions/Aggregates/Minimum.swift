import SealiteJSON

/// An aggregate whose result is the first value in the order of values, NULL and MISSING aside; MISSING if there is
/// none.
///
/// Only the rows that no later row precedes in this order are kept: only these can become the first one when older rows
/// leave the window's frame.
class Minimum: Aggregate {
    private struct Kept {
        /// The row's number, from 0 and counted without rows whose value is NULL or MISSING.
        let row: Int
        let value: OwnedValue
    }

    /// The kept rows from the oldest to the newest, which is also their order by value.
    private var kept: [Kept] = []
    /// The number of elements of `kept`, at its start, that have left the window's frame.
    private var start = 0
    private var added = 0
    private var removed = 0

    /// Returns whether a value comes before another one in the aggregate's order of values.
    func precedes(_ left: QueryValue, _ right: QueryValue) -> Bool { QueryComparison.compare(left, right) < 0 }

    private static func counts(_ value: QueryValue) -> Bool { !value.isMissing && !value.isNull }

    override func add(_ value: QueryValue) {
        guard Self.counts(value) else { return }
        while kept.count > start, let last = kept.last, last.value.with({ !precedes($0, value) }) { kept.removeLast() }
        kept.append(Kept(row: added, value: OwnedValue(value)))
        added += 1
    }

    override func remove(_ value: QueryValue) {
        guard Self.counts(value) else { return }
        if start < kept.count, kept[start].row == removed { start += 1 }
        removed += 1
        if start > 32, start * 2 > kept.count {
            kept.removeFirst(start)
            start = 0
        }
    }

    override func give(to call: QueryCall) throws {
        guard start < kept.count else { return }
        kept[start].value.with { call.give($0) }
    }
}
