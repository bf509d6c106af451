internal import SealiteValues

/// The evaluated form of a filter.
indirect enum FilterTree: Sendable {
    /// All of the trees hold; true if there are none.
    case all([FilterTree])
    /// At least one of the trees holds; false if there are none.
    case any([FilterTree])
    /// The tree doesn't hold.
    case not(FilterTree)
    /// Some value at a path passes a test.
    case condition(PathCondition)
    /// A condition on the whole document, such as that of `$expr`.
    case document(DocumentCondition)
    /// Always true or always false.
    case constant(Bool)

    /// Returns a condition that some value at a path passes a test.
    static func path(_ path: FilterPath, _ test: LeafTest) -> FilterTree { .condition(PathCondition(path, test)) }

    /// Returns the conjunction of trees; a single tree is returned as it is.
    static func every(_ trees: [FilterTree]) -> FilterTree { trees.count == 1 ? trees[0] : .all(trees) }
}

/// A test of the values at a path.
// A class, so that an evaluation doesn't copy its parts.
final class PathCondition: Sendable {
    let path: FilterPath
    let test: LeafTest
    /// The path within the `_id`, if the path leads to the `_id`.
    let pathOfID: FilterPath
    /// A faster test for stored bodies, which doesn't decide every value.
    let direct: DirectTest?

    init(_ path: FilterPath, _ test: LeafTest) {
        (self.path, self.test, pathOfID, direct) = (path, test, path.tail, DirectTest(path, test))
    }
}

/// A condition on a whole document.
typealias DocumentCondition = @Sendable (Row) throws -> Bool

/// A test of one value that a path leads to.
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

/// The conditions of `$elemMatch`.
struct ElementTest: Sendable {
    /// The conditions of one item.
    let tree: FilterTree
    /// A Boolean value that says whether the conditions are on the item's members, so that only an object or an array
    /// fulfils them; otherwise they are on the item itself.
    let isOnMembers: Bool
}

/// The set of types of `$type`.
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
