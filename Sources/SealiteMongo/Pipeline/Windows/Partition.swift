internal import SealiteValues

/// The sorted rows of a partition, the rows with the same value of `partitionBy`, with their sort values.
struct Partition {
    let rows: [Row]
    let values: [[BSON]]

    /// Returns the first sort value of the row at an index; null if the rows have no order.
    func value(_ index: Int) -> BSON { values[index].first ?? .null }

    /// Returns a function from the index of a row to the half-open range of the indices of its window. Neither bound
    /// decreases from a row to the next one.
    func windows(_ bounds: WindowBounds) throws -> (Int) throws -> Range<Int> {
        switch bounds {
        case .all: return { _ in 0..<rows.count }
        case .documents(let lower, let upper):
            let count = rows.count
            return { index in
                let start = max(0, min(count, place(lower, index) ?? 0))
                let end = max(start, min(count, (place(upper, index) ?? count - 1) + 1))
                return start..<end
            }
        case .range(let lower, let upper, let unit):
            try checkValues(unit)
            return { index in
                let start = try limit(lower, index, unit).map { limit in first { compare($0, limit) >= 0 } } ?? 0
                let end = try limit(upper, index, unit).map { limit in first { compare($0, limit) > 0 } } ?? rows.count
                return start..<max(start, end)
            }
        }
    }

    private func place(_ end: WindowBounds.End<Int>, _ index: Int) -> Int? {
        switch end {
        case .unbounded: nil
        case .current: index
        case .distance(let distance): index + distance
        }
    }

    /// Throws `MongoError` if the rows aren't sorted by numbers or, with a unit, by dates.
    private func checkValues(_ unit: DateUnit?) throws {
        for index in rows.indices {
            let value = value(index)
            let fits = unit == nil ? Number(value) != nil : value.type == .datetime
            guard fits else {
                throw MongoError(
                    code: 5429513,
                    "A 'window' with 'range' takes \(unit == nil ? "numbers" : "dates") in 'sortBy', not \(value.type.alias)."
                )
            }
        }
    }

    /// Returns the sort value at one end of the window of the row at an index; nil if the window is unbounded at this
    /// end.
    private func limit(_ end: WindowBounds.End<Number>, _ index: Int, _ unit: DateUnit?) throws -> BSON? {
        switch (end, value(index)) {
        case (.unbounded, _): return nil
        case (.current, let value): return value
        case (.distance(let distance), .datetime(let date)):
            guard let unit, let amount = distance.exactInteger, let limit = date.adding(Int(amount), unit, .utc) else {
                throw DateTime.overflow("A 'window'")
            }
            return .datetime(limit)
        case (.distance(let distance), let value):
            var sum = NumberSum()
            if let number = Number(value) { sum.add(number) }
            sum.add(distance)
            return sum.total.bson
        }
    }

    /// Returns the index of the first row whose first sort value fulfils a condition; the number of rows if there is
    /// none. The rows after a row that fulfils it must fulfil it, too.
    private func first(_ condition: (BSON) -> Bool) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(value(middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func compare(_ left: BSON, _ right: BSON) -> Int { left.compared(to: right) }
}
