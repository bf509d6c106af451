internal import SealiteJSON
internal import SealiteValues

/// A value that filters test: a decoded value, or an element of a stored body, whose bytes the methods take as `bytes`.
protocol FilterNode: PathNode {
    /// Returns the value's type; nil for damaged bytes.
    func type(in bytes: borrowing Span<UInt8>) -> BSONType?
    /// Compares the value with a constant in the order of values of all types: the result is negative, 0 or positive if
    /// the value comes before, is equal to or comes after the constant.
    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int
    /// Compares the value with a constant as `order(against:in:)` does; nil if the value has another type, where all
    /// numeric types count as one, or is NaN.
    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int?
    /// Returns the decoded value; undefined for damaged bytes.
    func value(in bytes: borrowing Span<UInt8>) -> BSON
    /// Returns a Boolean value that says whether the document with this root fulfils a condition; nil if the
    /// condition's fast path, its `DirectTest`, doesn't decide this.
    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool?
    /// Returns the document of which the value is the root, with `id` as the `_id` of a stored document.
    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row
}

extension BSON: FilterNode {
    func type(in bytes: borrowing Span<UInt8>) -> BSONType? { type }

    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int { compared(to: constant) }

    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int? {
        guard type.rank == constant.type.rank, !isNotANumber else { return nil }
        return compared(to: constant)
    }

    func value(in bytes: borrowing Span<UInt8>) -> BSON { self }

    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool? { nil }

    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row {
        guard case .document(let document) = self else { return Row(MongoDocument()) }
        return Row(document)
    }
}

/// The parsed form of a filter, which is evaluated for documents.
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
    /// A `$text`, in whose place `Filter.resolved(in:)` puts the documents that it finds.
    case text(TextQuery)
    /// Always true or always false.
    case constant(Bool)

    /// Returns the condition that some value at a path passes a test.
    static func path(_ path: FilterPath, _ test: LeafTest) -> FilterTree { .condition(PathCondition(path, test)) }

    /// Returns the conjunction of trees; a single tree is returned as it is.
    static func every(_ trees: [FilterTree]) -> FilterTree { trees.count == 1 ? trees[0] : .all(trees) }
}

/// A function that returns whether a whole document fulfils a condition.
typealias DocumentCondition = @Sendable (Row) throws -> Bool

/// The condition that some value at a path passes a test.
// A class, so that an evaluation doesn't copy its properties.
final class PathCondition: Sendable {
    let path: FilterPath
    let test: LeafTest
    /// The rest of the path within the `_id`, if the path begins with `_id`.
    let pathOfID: FilterPath
    /// A faster test for stored bodies, which doesn't decide every value; nil if there is none for this path and test.
    let direct: DirectTest?

    init(_ path: FilterPath, _ test: LeafTest) {
        (self.path, self.test, pathOfID, direct) = (path, test, path.tail, DirectTest(path, test))
    }
}

/// The conditions of `$elemMatch`, which one item of an array must fulfil.
struct ElementTest: Sendable {
    /// The conditions on an item.
    let tree: FilterTree
    /// A Boolean value that says whether the conditions are on the item's members, so that only an object or an array
    /// fulfils them; otherwise they are on the item itself.
    let isOnMembers: Bool
}

extension FilterPath {
    /// Creates the path of a text with dots between names; throws `MongoError` if there are too many names.
    init(_ text: String) throws(MongoError) {
        let path = try require(
            FilterPath(text.utf8), .badValue("A path has more than \(Self.maximumCount) field names."))
        self = path
    }
}
