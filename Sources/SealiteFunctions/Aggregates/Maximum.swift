import SealiteJSON

/// An aggregate whose result is the last value in the order of values, NULL and MISSING aside; MISSING if there is
/// none.
final class Maximum: Minimum {
    override func precedes(_ left: QueryValue, _ right: QueryValue) -> Bool { QueryComparison.compare(left, right) > 0 }
}
