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
                let start = try limit(lower, index, unit).map { limit in first { $0.compared(to: limit) >= 0 } } ?? 0
                let end =
                    try limit(upper, index, unit).map { limit in first { $0.compared(to: limit) > 0 } } ?? rows.count
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
    private func checkValues(_ unit: CalendarUnit?) throws {
        for index in rows.indices {
            let value = value(index)
            let fits = unit == nil ? BSONNumber(value) != nil : value.type == .datetime
            try require(
                fits, unit == nil ? 5_429_414 : 5_429_513,
                "A 'window' with 'range' takes \(unit == nil ? "numbers" : "dates") in 'sortBy', not \(value.type.alias)."
            )
        }
    }

    /// Returns the sort value at one end of the window of the row at an index; nil if the window is unbounded at this
    /// end.
    private func limit(_ end: WindowBounds.End<BSONNumber>, _ index: Int, _ unit: CalendarUnit?) throws -> BSON? {
        switch (end, value(index)) {
        case (.unbounded, _): return nil
        case (.current, let value): return value
        case (.distance(let distance), .datetime(let date)):
            guard let unit, let amount = distance.exactInteger, let limit = date.adding(Int(amount), unit, .utc) else {
                throw DateTime.overflow("A 'window'")
            }
            return .datetime(limit)
        case (.distance(let distance), let value):
            return (BSONNumber(value) ?? .int32(0)).adding(distance).bson
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
}

/// The bounds of the window of a row: the rows around it over which a function is computed.
enum WindowBounds: Sendable {
    /// One end of a window: no bound, the current row, or a distance from it.
    enum End<Distance: Sendable>: Sendable {
        case unbounded
        case current
        case distance(Distance)
    }

    /// A Boolean value that says whether the first row of the window moves with the current row.
    var slides: Bool {
        switch self {
        case .all, .documents(.unbounded, _), .range(.unbounded, _, _): false
        default: true
        }
    }

    /// All rows of the partition.
    case all
    /// The rows between two distances from the current row, inclusive, counted in rows; a negative distance is before
    /// it.
    case documents(End<Int>, End<Int>)
    /// The rows whose sort values are between two distances, inclusive, from that of the current row: numbers, or for
    /// dates numbers of a unit.
    case range(End<BSONNumber>, End<BSONNumber>, CalendarUnit?)

    /// Creates the window that the member `window` of a function specifies: all rows if it is nil or empty. Throws
    /// `MongoError` if it is invalid, or if it needs a sort order and there is none.
    init(_ specification: BSON?, _ order: SortOrder?) throws {
        let document = try specification.map { try requireDocument($0, 9, "A 'window' must be an object") } ?? [:]
        guard !document.isEmpty else {
            self = .all
            return
        }
        if let unknown = document.keys.first(where: { !["documents", "range", "unit"].contains($0) }) {
            throw MongoError(code: 9, "A 'window' has the unknown member '\(unknown)'.")
        }
        switch (document["documents"], document["range"]) {
        case (let bounds?, nil):
            try require(document["unit"] == nil, 9, "A 'window' with 'documents' takes no 'unit'.")
            self = try Self.documents(bounds, order)
        case (nil, let bounds?):
            let unit =
                try document["unit"].map { value in
                    try CalendarUnit.argument(
                        .string(requireString(value, 9, "A 'window' takes a string as 'unit'")), "A 'window'")
                } ?? nil
            self = try Self.range(bounds, unit, order)
        default: throw MongoError(code: 9, "A 'window' needs either 'documents' or 'range', and not both.")
        }
    }

    /// Returns the two ends that `bounds` gives; `distance` parses a bound that is a distance from the current row.
    private static func ends<Distance>(
        _ bounds: BSON, _ distance: (BSON) throws -> Distance
    ) throws -> (End<Distance>, End<Distance>) {
        guard case .array(let items) = bounds, items.count == 2 else {
            throw MongoError(code: 9, "The bounds of a 'window' must be an array of two values.")
        }
        return (try end(items[0], distance), try end(items[1], distance))
    }

    private static func end<Distance>(_ value: BSON, _ distance: (BSON) throws -> Distance) throws -> End<Distance> {
        switch value {
        case .string("unbounded"): return .unbounded
        case .string("current"): return .current
        case .string:
            throw MongoError(code: 9, "A bound of a 'window' must be 'unbounded', 'current' or a number.")
        default: return .distance(try distance(value))
        }
    }

    /// Throws `MongoError` if both ends are bounded, and the lower one, as a number, is above the upper one.
    private static func check<Distance>(
        _ lower: End<Distance>, _ upper: End<Distance>, _ number: (Distance) -> BSONNumber
    ) throws {
        let numbers = [lower, upper].map { end -> BSON? in
            switch end {
            case .unbounded: nil
            case .current: .int32(0)
            case .distance(let distance): number(distance).bson
            }
        }
        guard let low = numbers[0], let high = numbers[1] else { return }
        try require(low.compared(to: high) <= 0, 5339900, "The lower bound of a 'window' is above the upper one.")
    }

    private static func documents(_ value: BSON, _ order: SortOrder?) throws -> WindowBounds {
        let (lower, upper) = try ends(value) { value -> Int in
            try require(
                Optional(value).exactInt32, 9,
                "A bound in 'documents' of a 'window' must be 'unbounded', 'current' or a 32-bit integer.")
        }
        if case .unbounded = lower, case .unbounded = upper {
        } else {
            try require(
                order != nil, 5_339_901,
                "A 'window' with 'documents' needs 'sortBy', unless both bounds are 'unbounded'.")
        }
        try check(lower, upper) { .int64(Int64($0)) }
        return .documents(lower, upper)
    }

    private static func range(_ value: BSON, _ unit: CalendarUnit?, _ order: SortOrder?) throws -> WindowBounds {
        let (lower, upper) = try ends(value) { value -> BSONNumber in
            guard let number = BSONNumber(value), unit == nil || number.exactInteger != nil else {
                throw MongoError(
                    code: 9,
                    "A bound in 'range' of a 'window' must be 'unbounded', 'current' or a number, with a 'unit' an integer."
                )
            }
            return number
        }
        try check(lower, upper) { $0 }
        guard let order, order.keys.count == 1 else {
            throw MongoError(code: 5339902, "A 'window' with 'range' needs 'sortBy' with exactly one key.")
        }
        try require(!order.keys[0].isDescending, 8947401, "A 'window' with 'range' needs an ascending 'sortBy'.")
        return .range(lower, upper, unit)
    }
}
