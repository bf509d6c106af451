internal import SealiteValues

extension AccumulatorKind {
    /// The first, last, lowest and highest value.
    static let orders: [AccumulatorKind] = [
        .init("$min", isUnary: true) { ExtremeAccumulator { $0 < 0 } },
        .init("$max", isUnary: true) { ExtremeAccumulator { $0 > 0 } },
        .init("$first", reading: first), .init("$last", reading: last),
    ]

    @Sendable private static func first(_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification
    {
        AccumulatorSpecification(try parser.parse(operand)) { _ in FirstAccumulator() }
    }

    @Sendable private static func last(_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification {
        AccumulatorSpecification(try parser.parse(operand)) { _ in LastAccumulator() }
    }
}

/// `$min` and `$max`.
final class ExtremeAccumulator: Accumulator {
    private var extreme: BSON?
    private let replaces: (Int) -> Bool

    init(_ replaces: @escaping (Int) -> Bool) { self.replaces = replaces }

    func add(_ value: BSON?) -> Int {
        guard let value, !Optional(value).isNullish else { return 0 }
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

/// `$first`.
final class FirstAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        guard self.value == nil else { return 0 }
        self.value = value ?? .null
        return self.value?.memoryByteCount ?? 0
    }

    func result() -> BSON { value ?? .null }
}

/// `$last`.
final class LastAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        let old = self.value?.memoryByteCount ?? 0
        self.value = value
        return (value?.memoryByteCount ?? 0) - old
    }

    func result() -> BSON { value ?? .null }
}
