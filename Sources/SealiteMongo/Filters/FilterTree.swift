internal import SealiteValues

/// A filter as it is evaluated.
indirect enum FilterTree: Sendable {
    /// All of several hold; true for none.
    case all([FilterTree])
    /// One of several holds; false for none.
    case any([FilterTree])
    /// One doesn't hold.
    case not(FilterTree)
    /// Some value at a path passes a test.
    case condition(PathCondition)
    /// A condition on the whole document, such as that of `$expr`.
    case document(DocumentCondition)
    /// Always or never.
    case constant(Bool)

    /// Some value at a path passes a test.
    static func path(_ path: FilterPath, _ test: LeafTest) -> FilterTree { .condition(PathCondition(path, test)) }

    /// Several that must all hold, of which one stands for itself.
    static func every(_ trees: [FilterTree]) -> FilterTree { trees.count == 1 ? trees[0] : .all(trees) }
}

/// A test of the values at a path.
// A class, so that evaluating it copies no part of it.
final class PathCondition: Sendable {
    let path: FilterPath
    let test: LeafTest
    /// The path below the `_id`, where it leads to it.
    let pathOfID: FilterPath
    /// A shorter test, for stored bodies, which doesn't decide all of them.
    let direct: DirectTest?

    init(_ path: FilterPath, _ test: LeafTest) {
        (self.path, self.test, pathOfID, direct) = (path, test, path.tail, DirectTest(path, test))
    }
}

/// A condition on a whole document.
typealias DocumentCondition = @Sendable (Row) throws -> Bool

/// A test of one value that a path leads to.
enum LeafTest: Sendable {
    /// Equal to a constant in the order of values; null is equal to what is missing, too.
    case equal(BSON)
    /// Within a bound of one type, or of all types.
    case range(RangeBound)
    /// Equal to one of several, or matched by one of several patterns.
    case among(ValueList)
    /// There at all.
    case exists
    /// Of one of several types.
    case types(TypeSet)
    /// A number with a remainder.
    case modulus(divisor: Int64, remainder: Int64)
    /// A string in which a pattern is found, or the same regular expression.
    case pattern(FilterPattern)
    /// A number or bytes with some bits set or clear.
    case bits(BitTest)
    /// An array of so many items.
    case size(Int)
    /// An array of which an item fulfils conditions.
    case elements(ElementTest)
}

/// The conditions of `$elemMatch`.
struct ElementTest: Sendable {
    /// The conditions of one item.
    let tree: FilterTree
    /// True if the conditions are on the item's members, so that only an object or an array fulfils them; false if they are on the
    /// item itself.
    let isOnMembers: Bool
}

/// The types that `$type` asks for.
struct TypeSet: Sendable, Equatable {
    private var bits: UInt64 = 0

    /// Adds a type.
    mutating func insert(_ type: BSONType) { bits |= Self.bit(type) }

    /// Returns a Boolean value that says whether a type is in the set.
    func contains(_ type: BSONType) -> Bool { bits & Self.bit(type) != 0 }

    private static func bit(_ type: BSONType) -> UInt64 {
        switch type {
        case .minKey: 1 << 40
        case .maxKey: 1 << 41
        default: 1 << UInt64(type.rawValue)
        }
    }
}
