import SealiteJSON

/// An aggregate of the last value in the order of values, without NULL and MISSING.
final class Maximum: Minimum {
    override func precedes(_ left: QueryValue, _ right: QueryValue) -> Bool { QueryComparison.compare(left, right) > 0 }
}
