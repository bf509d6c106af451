/// A value that a path leads to.
struct PathLeaf<Node> {
    /// The value; nil where the path leads to nothing.
    let node: Node?
    /// True for an array that stands for itself, not for its items.
    let isWholeArray: Bool
    /// The place in the outermost array on the way at which the value was found.
    let index: Int?
}

// The one function that knows how paths go through arrays.
extension FilterPath {
    /// Calls `visit` with what the path leads to in a value until it returns true.
    ///
    /// At the path's end an array gives each of its items first, then itself. On the way an array leads on in each of its items that
    /// is an object, and, where the next name is a place in it, in the item there; such a place at the path's end gives the item as it
    /// is. A value without the path gives a missing leaf; in an array only objects do.
    ///
    /// - Parameters:
    ///   - node: the value.
    ///   - readsArrayAsObject: an array that is the value itself is an object whose members are named by its places.
    ///   - bytes: the bytes that a stored value lies in.
    ///   - visit: looks at one of the leaves.
    /// - Returns: true where `visit` returned true.
    /// - Throws: what `visit` throws.
    func visit<Node: FilterNode>(
        _ node: Node, readsArrayAsObject: Bool = false, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(MongoError) -> Bool
    ) throws(MongoError) -> Bool {
        guard let first = steps.first else {
            return try visit(PathLeaf(node: node, isWholeArray: node.shape(in: bytes) == .array, index: nil))
        }
        if readsArrayAsObject, node.shape(in: bytes) == .array {
            guard let item = first.index.flatMap({ node.item($0, in: bytes) }) else {
                return try visit(PathLeaf(node: nil, isWholeArray: false, index: nil))
            }
            return try walk(item, from: 1, index: nil, in: bytes, visit)
        }
        return try walk(node, from: 0, index: nil, in: bytes, visit)
    }

    private func walk<Node: FilterNode>(
        _ node: Node, from depth: Int, index: Int?, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(MongoError) -> Bool
    ) throws(MongoError) -> Bool {
        let shape = node.shape(in: bytes)
        guard depth < steps.count else {
            guard shape == .array else { return try visit(PathLeaf(node: node, isWholeArray: false, index: index)) }
            var (place, number) = (node.firstItemPlace, 0)
            while let item = node.nextItem(&place, in: bytes) {
                if try visit(PathLeaf(node: item, isWholeArray: false, index: index ?? number)) { return true }
                number += 1
            }
            return try visit(PathLeaf(node: node, isWholeArray: true, index: index))
        }
        switch shape {
        case .object:
            if let member = node.member(steps[depth], in: bytes) {
                return try walk(member, from: depth + 1, index: index, in: bytes, visit)
            }
            return try visit(PathLeaf(node: nil, isWholeArray: false, index: index))
        case .array:
            return try walkItems(of: node, from: depth, index: index, in: bytes, visit)
        case .scalar:
            return try visit(PathLeaf(node: nil, isWholeArray: false, index: index))
        }
    }

    private func walkItems<Node: FilterNode>(
        of array: Node, from depth: Int, index: Int?, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(MongoError) -> Bool
    ) throws(MongoError) -> Bool {
        let explicit = steps[depth].index
        var (place, number) = (array.firstItemPlace, 0)
        while let item = array.nextItem(&place, in: bytes) {
            let shape = item.shape(in: bytes)
            if number == explicit {
                if depth + 1 == steps.count {
                    let leaf = PathLeaf(node: item, isWholeArray: shape == .array, index: index ?? number)
                    if try visit(leaf) { return true }
                } else if try walk(item, from: depth + 1, index: index ?? number, in: bytes, visit) {
                    return true
                }
            }
            if shape == .object, try walk(item, from: depth, index: index ?? number, in: bytes, visit) { return true }
            number += 1
        }
        return false
    }
}
