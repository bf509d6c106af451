internal import SealiteValues

/// The accumulator of `$min` and `$max`, which ignores null and missing values.
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
