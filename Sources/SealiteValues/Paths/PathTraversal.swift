/// A value that a path leads to.
@usableFromInline package struct PathLeaf<Node> {
    /// The value; nil if the path leads to nothing.
    @usableFromInline package let node: Node?
    /// True for an array that stands for itself, not for its items.
    @usableFromInline package let isWholeArray: Bool
    /// The place in the outermost array on the way at which the value was found.
    @usableFromInline package let index: Int?
    /// True for an item that the path's last name is the place of in its array; of an array there no items come.
    @usableFromInline package let isPlace: Bool

    @inlinable init(node: Node?, isWholeArray: Bool, index: Int?, isPlace: Bool = false) {
        (self.node, self.isWholeArray, self.index, self.isPlace) = (node, isWholeArray, index, isPlace)
    }
}

/// The end of a walk along a path.
@usableFromInline package struct PathWalk: Sendable {
    /// True if a visitor ended the walk.
    @usableFromInline package var isEnded: Bool
    /// True if an array was met, on the way or at the path's end, before the walk ended.
    @usableFromInline package var metArray: Bool

    @inlinable init(isEnded: Bool, metArray: Bool = false) { (self.isEnded, self.metArray) = (isEnded, metArray) }
}

// The one function that knows how paths go through arrays: that of filters, keys of indexes, sorts and `distinct`.
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
    /// - Returns: how the walk ended.
    /// - Throws: the errors of `visit`.
    @inlinable package func visit<Node: PathNode, Failure: Error>(
        _ node: Node, readsArrayAsObject: Bool = false, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(Failure) -> Bool
    ) throws(Failure) -> PathWalk {
        guard count > 0 else {
            return PathWalk(
                isEnded: try visit(PathLeaf(node: node, isWholeArray: node.shape(in: bytes) == .array, index: nil)))
        }
        if readsArrayAsObject, node.shape(in: bytes) == .array {
            guard let item = indexes[0].flatMap({ node.item($0, in: bytes) }) else {
                return try Self.missing(nil, visit)
            }
            return try walk(item, from: 1, index: nil, in: bytes, visit)
        }
        return try walk(node, from: 0, index: nil, in: bytes, visit)
    }

    @inlinable static func missing<Node: PathNode, Failure: Error>(
        _ index: Int?, _ visit: (PathLeaf<Node>) throws(Failure) -> Bool
    ) throws(Failure) -> PathWalk {
        PathWalk(isEnded: try visit(PathLeaf(node: nil, isWholeArray: false, index: index)))
    }

    @inlinable func walk<Node: PathNode, Failure: Error>(
        _ node: Node, from depth: Int, index: Int?, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(Failure) -> Bool
    ) throws(Failure) -> PathWalk {
        let shape = node.shape(in: bytes)
        guard depth < count else {
            guard shape == .array else {
                return PathWalk(isEnded: try visit(PathLeaf(node: node, isWholeArray: false, index: index)))
            }
            var (place, number) = (node.firstItemPlace, 0)
            while let item = node.nextItem(&place, in: bytes) {
                if try visit(PathLeaf(node: item, isWholeArray: false, index: index ?? number)) {
                    return PathWalk(isEnded: true, metArray: true)
                }
                number += 1
            }
            return PathWalk(
                isEnded: try visit(PathLeaf(node: node, isWholeArray: true, index: index)), metArray: true)
        }
        switch shape {
        case .object:
            guard let member = node.member(self, depth, in: bytes) else { return try Self.missing(index, visit) }
            return try walk(member, from: depth + 1, index: index, in: bytes, visit)
        case .array:
            let isEnded = try walkItems(of: node, from: depth, index: index, in: bytes, visit)
            return PathWalk(isEnded: isEnded, metArray: true)
        case .scalar:
            return try Self.missing(index, visit)
        }
    }

    @inlinable func walkItems<Node: PathNode, Failure: Error>(
        of array: Node, from depth: Int, index: Int?, in bytes: borrowing Span<UInt8>,
        _ visit: (PathLeaf<Node>) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let explicit = indexes[depth]
        var (place, number) = (array.firstItemPlace, 0)
        while let item = array.nextItem(&place, in: bytes) {
            let shape = item.shape(in: bytes)
            if number == explicit {
                if depth + 1 == count {
                    let leaf = PathLeaf(
                        node: item, isWholeArray: shape == .array, index: index ?? number, isPlace: true)
                    if try visit(leaf) { return true }
                } else if try walk(item, from: depth + 1, index: index ?? number, in: bytes, visit).isEnded {
                    return true
                }
            }
            if shape == .object, try walk(item, from: depth, index: index ?? number, in: bytes, visit).isEnded {
                return true
            }
            number += 1
        }
        return false
    }
}
