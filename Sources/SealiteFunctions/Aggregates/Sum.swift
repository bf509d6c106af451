import SealiteJSON

/// An aggregate whose result is the sum of the numbers: integers are added exactly, doubles with compensation of
/// rounding errors. MISSING without numbers.
class Sum: Aggregate {
    private(set) var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubles = CompensatedSum()
    /// The sum of the doubles from `largeBound` on, divided by `largeScale`. A window can remove what made a sum exceed
    /// the finite doubles, and a sum that had become infinite once would stay so.
    private var largeDoubles = CompensatedSum()
    /// The number of values that no finite double approximates.
    private var infiniteCount = 0

    private static let largeBound = 0x1p900
    private static let largeScale = 0x1p200

    override func add(_ value: FunctionValue) { change(value, by: 1) }

    override func remove(_ value: FunctionValue) { change(value, by: -1) }

    private func change(_ value: FunctionValue, by step: Int) {
        switch value {
        case .integer(let integer): integers += Int128(integer) * Int128(step)
        case .double, .bigNumber:
            guard let number = value.number else { return }
            if !number.isFinite {
                infiniteCount += step
            } else if number.magnitude < Self.largeBound {
                doubles.change(number, by: step)
            } else {
                largeDoubles.change(number / Self.largeScale, by: step)
            }
        default: return
        }
        count += Int64(step)
    }

    /// The sum as a double; infinite if it has no finite value.
    var total: Double {
        guard infiniteCount == 0 else { return .infinity }
        // The integers are added to each other first: a single one could be lost next to a large sum of doubles.
        let rest = doubles.sum + (Double(integers) + doubles.lost)
        // Large doubles can cancel each other out, and a small rest divided by the scale would become 0.
        guard largeDoubles.sum + largeDoubles.lost != 0 else { return rest }
        return (largeDoubles.sum + (rest / Self.largeScale + largeDoubles.lost)) * Self.largeScale
    }

    override func give(to call: QueryCall) throws {
        guard count > 0 else { return }
        if doubles.count == 0, largeDoubles.count == 0, infiniteCount == 0, let sum = Int64(exactly: integers) {
            call.give(sum)
        } else {
            call.give(total)
        }
    }
}

/// A sum of doubles that keeps the rounding errors of its additions (Kahan's algorithm as extended by Neumaier).
private struct CompensatedSum {
    /// The number of doubles in the sum.
    private(set) var count = 0
    private(set) var sum = 0.0
    /// The sum of the rounding errors of the additions to `sum`, by which it is to be corrected.
    private(set) var lost = 0.0

    /// Adds a double if `step` is 1, and removes one that was added if `step` is -1.
    mutating func change(_ number: Double, by step: Int) {
        count += step
        guard count > 0 else {
            (sum, lost) = (0, 0)
            return
        }
        let term = number * Double(step)
        let changed = sum + term
        lost += sum.magnitude >= term.magnitude ? (sum - changed) + term : (term - changed) + sum
        sum = changed
    }
}

/// An aggregate whose result is the mean of the numbers; MISSING without numbers.
final class Average: Sum {
    override func give(to call: QueryCall) throws {
        guard count > 0 else { return }
        call.give(total / Double(count))
    }
}

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
    func precedes(_ left: FunctionValue, _ right: FunctionValue) -> Bool { QueryComparison.compare(left, right) < 0 }

    private static func counts(_ value: FunctionValue) -> Bool { !value.isMissing && !value.isNull }

    override func add(_ value: FunctionValue) {
        guard Self.counts(value) else { return }
        while kept.count > start, let last = kept.last, last.value.with({ !precedes($0, value) }) { kept.removeLast() }
        kept.append(Kept(row: added, value: OwnedValue(value)))
        added += 1
    }

    override func remove(_ value: FunctionValue) {
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

/// An aggregate whose result is the last value in the order of values, NULL and MISSING aside; MISSING if there is
/// none.
final class Maximum: Minimum {
    override func precedes(_ left: FunctionValue, _ right: FunctionValue) -> Bool {
        QueryComparison.compare(left, right) > 0
    }
}

/// An aggregate whose result is an array of all values other than MISSING.
final class ArrayAggregate: Aggregate {
    private var elements = JSONBWriter()
    /// The offset in bytes of the oldest element that is still in the window's frame.
    private var start = 0

    override func add(_ value: FunctionValue) {
        if !value.isMissing { elements.append(value) }
    }

    override func remove(_ value: FunctionValue) {
        guard !value.isMissing else { return }
        start = unsafe elements.withUnsafeBytes { bytes in
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            return JSONBElement(span, at: start, limit: span.count)?.end ?? span.count
        }
        if start > 4096, start * 2 > elements.count {
            elements = rest(JSONBWriter(capacity: elements.count - start))
            start = 0
        }
    }

    /// Returns a writer to which the elements that are still in the window's frame were appended.
    private func rest(_ output: consuming JSONBWriter) -> JSONBWriter {
        unsafe elements.withUnsafeBytes { bytes in
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            output.raw(span, start, span.count)
        }
        return output
    }

    override var byteCount: Int { elements.count - start }

    override func give(to call: QueryCall) throws {
        var output = JSONBWriter(capacity: elements.count - start + 8)
        output.header(JSONBType.array, byteCount: elements.count - start)
        try call.give(rest(output))
    }
}
