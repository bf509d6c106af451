internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators of sums, means and standard deviations, which ignore values that aren't numbers, and `$count`.
    static let numbers: [AccumulatorKind] = [
        .init("$sum") { SumAccumulator(isMean: false) },
        .init("$avg") { SumAccumulator(isMean: true) },
        .init("$stdDevPop") { DeviationAccumulator(isSample: false) },
        .init("$stdDevSamp") { DeviationAccumulator(isSample: true) },
        .init("$count") { operand, _ in
            try require(operand.isEmptyDocument, .typeMismatch("$count takes an empty object."))
            var count = AccumulatorSpecification(.constant(.int32(1))) { _ in SumAccumulator(isMean: false) }
            count.isIndependent = true
            return count
        },
    ]
}

/// The accumulator of `$sum` and `$avg`, which ignores values that aren't numbers.
final class SumAccumulator: Accumulator {
    private var sum = NumberSum()
    private let isMean: Bool

    init(isMean: Bool) { self.isMean = isMean }

    func add(_ value: BSON?) -> Int {
        if let number = BSONNumber(value) { sum.add(number) }
        return 0
    }

    /// Adds a value `count` times.
    func add(_ value: BSON?, times count: Int) {
        if let number = BSONNumber(value) { sum.add(number, times: count) }
    }

    func result() -> BSON { isMean ? sum.mean(roundsIntegers: false)?.bson ?? .null : sum.total.bson }
}

/// The accumulator of `$stdDevPop` and `$stdDevSamp`, the standard deviation of the numbers among the values.
final class DeviationAccumulator: Accumulator {
    private var deviation = Deviation()
    private let isSample: Bool
    /// A Boolean value that says whether the result is null if a number isn't finite, as in windows that slide.
    var refusesInfinities = false
    private var hasInfinity = false

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        guard let number = BSONNumber(value) else { return 0 }
        if refusesInfinities, !number.double.isFinite { hasInfinity = true }
        deviation.add(number)
        return 0
    }

    func result() -> BSON {
        if hasInfinity { return .null }
        // As in MongoDB, one number has the integer 0 in windows that slide.
        if refusesInfinities, !isSample, deviation.count == 1 { return .int32(0) }
        return deviation.value(isSample: isSample)
    }
}

extension AccumulatorKind {
    /// The accumulators `$min`, `$max`, `$first` and `$last`.
    static let orders: [AccumulatorKind] = [
        .init("$min") { ExtremeAccumulator { $0 < 0 } },
        .init("$max") { ExtremeAccumulator { $0 > 0 } },
        end("$first") { FirstAccumulator() }, end("$last") { LastAccumulator() },
    ]

    /// Returns a kind of accumulator of one expression, whose accumulators depend on the first row of their group.
    private static func end(_ name: String, _ make: @escaping @Sendable () -> any Accumulator) -> AccumulatorKind {
        .init(name) { operand, parser in AccumulatorSpecification(try parser.parse(operand)) { _ in make() } }
    }
}

/// The accumulator of `$min` and `$max`, which ignores null and missing values.
final class ExtremeAccumulator: Accumulator {
    private var extreme: BSON?
    private let replaces: (Int) -> Bool

    init(_ replaces: @escaping (Int) -> Bool) { self.replaces = replaces }

    func add(_ value: BSON?) -> Int {
        guard let value, !value.isNullish else { return 0 }
        guard let old = extreme else {
            extreme = value
            return value.memoryByteCount
        }
        guard replaces(value.compared(to: old)) else { return 0 }
        extreme = value
        return value.memoryByteCount - old.memoryByteCount
    }

    func result() -> BSON { extreme ?? .null }
}

/// The accumulator of `$first`: the value of a group's first row, null if it is missing.
final class FirstAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        guard self.value == nil else { return 0 }
        self.value = value ?? .null
        return self.value?.memoryByteCount ?? 0
    }

    func result() -> BSON { value ?? .null }
}

/// The accumulator of `$last`: the value of a group's last row, null if it is missing.
final class LastAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        let old = self.value?.memoryByteCount ?? 0
        self.value = value
        return (value?.memoryByteCount ?? 0) - old
    }

    func result() -> BSON { value ?? .null }
}

extension AccumulatorKind {
    /// The accumulators of arrays and objects, such as `$push` and `$mergeObjects`.
    static let collections: [AccumulatorKind] = [
        .init("$push") { PushAccumulator() },
        .init("$addToSet") { SetAccumulator() },
        .init("$mergeObjects") { MergeAccumulator() },
        .init("$concatArrays") { ItemsAccumulator("$concatArrays", PushAccumulator()) },
        .init("$setUnion") { ItemsAccumulator("$setUnion", SetAccumulator()) },
    ]
}

/// The accumulator of `$push`: an array of the values, without missing ones.
final class PushAccumulator: Accumulator {
    private var values: [BSON] = []

    func add(_ value: BSON?) -> Int {
        guard let value else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}

/// The accumulator of `$addToSet`: an array of the distinct values, without missing ones, in the order in which they are
/// first found.
final class SetAccumulator: Accumulator {
    private var keys: Set<BSONKey> = []
    private var values: [BSON] = []

    func add(_ value: BSON?) -> Int {
        guard var value else { return 0 }
        if value.isNullish { value = .null }
        guard keys.insert(BSONKey(value)).inserted else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}

/// An accumulator whose values are arrays, of which it adds the items to another one. A missing value contributes nothing, and any
/// other value is an error.
final class ItemsAccumulator: Accumulator {
    private let name: String
    private let items: any Accumulator

    /// Creates an accumulator with a name for error messages; `items` is an empty one for the items.
    init(_ name: String, _ items: any Accumulator) { (self.name, self.items) = (name, items) }

    func add(_ value: BSON?) throws -> Int {
        guard let value else { return 0 }
        guard case .array(let added) = value else {
            throw MongoError.typeMismatch(
                "The accumulator \(name) takes arrays, not a value of the type \(value.type.alias).")
        }
        return try added.reduce(0) { try $0 + items.add($1) }
    }

    func result() throws -> BSON { try items.result() }
}

/// The accumulator of `$mergeObjects`: a document with the members of all values, which must be documents. Of several
/// members with one name, the last one counts.
final class MergeAccumulator: Accumulator {
    private var document = MongoDocument()

    func add(_ value: BSON?) throws -> Int {
        if value.isNullish { return 0 }
        let added = try requireDocument(value, 5_911_200, "$mergeObjects takes objects")
        document.merge(added)
        return value?.memoryByteCount ?? 0
    }

    func result() -> BSON { .document(document) }
}
