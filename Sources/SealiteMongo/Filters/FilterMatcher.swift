internal import SealiteFunctions
internal import SealiteJSON
internal import SealiteValues

/// One test of a document with a filter.
///
/// The matcher records the index in an array at which a condition found its value, the last one if there are several;
/// it is the index to which `$` refers in updates and projections. Conditions under a negation or in alternatives don't
/// record one.
struct FilterMatcher {
    /// The `_id` of a stored document, whose body doesn't contain it; nil for other documents, and if the filter
    /// doesn't need it.
    var id: BSON?
    /// The index in the outermost array at which the last condition found its value; nil if none was in an array.
    var position: Int?
    /// A Boolean value that says whether the root is an array that is read as an object with its indices as names, for
    /// `$elemMatch`.
    private var readsArrayAsObject = false
    /// The units of work, as in `WorkCounter`, since the last look whether the task was cancelled.
    private var units = 0

    /// The number of units between two looks.
    private static let interval = 1 << 10

    init(id: BSON? = nil) { self.id = id }

    @inline(__always)
    private mutating func charge(_ count: Int) throws {
        units += count
        guard units >= Self.interval else { return }
        units = 0
        try WorkMeter.look()
    }

    /// Returns a Boolean value that says whether the document with the root `node` fulfils a filter.
    mutating func matches<Node: FilterNode>(
        _ tree: FilterTree, _ node: Node, in bytes: borrowing Span<UInt8>
    ) throws -> Bool {
        switch tree {
        case .condition(let condition):
            return try matches(condition, node, in: bytes)
        case .all(let trees):
            for tree in trees where try !matches(tree, node, in: bytes) { return false }
            return true
        case .any(let trees):
            let before = position
            defer { position = before }
            for tree in trees where try matches(tree, node, in: bytes) { return true }
            return false
        case .not(let tree):
            let before = position
            defer { position = before }
            return try !matches(tree, node, in: bytes)
        case .document(let condition):
            return try condition(node.row(id: id, in: bytes))
        case .text:
            throw MongoError(
                code: 27, "$text needs a text index of a collection; it can't be used for documents in memory.")
        case .constant(let value):
            return value
        }
    }

    private mutating func matches<Node: FilterNode>(
        _ condition: PathCondition, _ node: Node, in bytes: borrowing Span<UInt8>
    ) throws -> Bool {
        // A path may lead through all of a body.
        try charge(WorkCounter.units(ofBytes: bytes.count))
        if let isFulfilled = node.isDirectly(fulfilling: condition, in: bytes) { return isFulfilled }
        if condition.path.isID, let id { return try Self.matches(condition, ofID: id) }
        var found: Int?
        var leaves = 0
        let bytes = copy bytes
        let isFound = try condition.path.visit(node, readsArrayAsObject: readsArrayAsObject, in: bytes) {
            (leaf) throws in
            leaves += 1
            if leaves.isMultiple(of: Self.interval) { try WorkMeter.look() }
            guard let index = try condition.test.passes(leaf, in: bytes) else { return false }
            found = index
            return true
        }.isEnded
        try charge(leaves)
        if isFound, let found, found != LeafTest.nowhere { position = found }
        return isFound
    }

    /// Returns a Boolean value that says whether the `_id`, which isn't in the body, fulfils a condition; an `_id` may
    /// be an object with members.
    private static func matches(_ condition: PathCondition, ofID id: BSON) throws -> Bool {
        let none: [UInt8] = []
        return try condition.pathOfID.visit(id, in: none.span) { (leaf) throws in
            try condition.test.passes(leaf, in: none.span) != nil
        }.isEnded
    }

    /// Returns the index of the first item of an array that fulfils the conditions of an `$elemMatch`; nil if none
    /// does.
    static func firstItem<Node: FilterNode>(
        of array: Node, passing test: ElementTest, in bytes: borrowing Span<UInt8>
    ) throws -> Int? {
        var (place, number) = (array.firstItemPlace, 0)
        while let item = array.nextItem(&place, in: bytes) {
            if try matches(test, item, in: bytes) { return number }
            number += 1
            if number.isMultiple(of: interval) { try WorkMeter.look() }
        }
        return nil
    }

    /// Returns a Boolean value that says whether an item of an array fulfils the conditions of an `$elemMatch`.
    static func matches<Node: FilterNode>(
        _ test: ElementTest, _ item: Node, in bytes: borrowing Span<UInt8>
    ) throws -> Bool {
        if test.isOnMembers, item.shape(in: bytes) == .scalar { return false }
        var inner = FilterMatcher()
        inner.readsArrayAsObject = test.isOnMembers
        return try inner.matches(test.tree, item, in: bytes)
    }
}
