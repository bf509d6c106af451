internal import SealiteValues

/// A test of one of the values at a path.
enum LeafTest: Sendable {
    /// Equal to a constant in the order of all types; a missing value is also equal to null.
    case equal(BSON)
    /// Within a bound of one type, or of all types.
    case range(RangeBound)
    /// Equal to a value of a list, or matched by a pattern of the list.
    case among(ValueList)
    /// Present.
    case exists
    /// Of one of several types.
    case types(TypeSet)
    /// A number with a given remainder.
    case modulus(divisor: Int64, remainder: Int64)
    /// A string in which a pattern matches, or the same regular expression.
    case pattern(FilterPattern)
    /// A number or bytes with some bits set or clear.
    case bits(BitTest)
    /// An array with a number of items.
    case size(Int)
    /// An array with an item that fulfils conditions.
    case elements(ElementTest)
}
