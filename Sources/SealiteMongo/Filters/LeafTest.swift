internal import SealiteValues

/// A test of one of the values at a path.
enum LeafTest: Sendable {
    /// The value is equal to a constant in the order of values of all types; a missing value is also equal to null.
    case equal(BSON)
    /// The value is on one side of a bound, as for `$gt` and `$lte`.
    case range(RangeBound)
    /// The value is equal to a value of a list, or matched by a pattern of the list.
    case among(ValueList)
    /// The value is present.
    case exists
    /// The value is of one of several types.
    case types(TypeSet)
    /// The value is a number whose integer part, divided by `divisor`, has the given remainder.
    case modulus(divisor: Int64, remainder: Int64)
    /// The value is a string in which a pattern matches, or the same regular expression.
    case pattern(FilterPattern)
    /// The value is a number or binary data, with some bits set or clear.
    case bits(BitTest)
    /// The value is an array with the given number of items.
    case size(Int)
    /// The value is an array with an item that fulfils conditions.
    case elements(ElementTest)
}
