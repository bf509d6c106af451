// The only implementation of paths through arrays, for filters, index keys, sorts and `distinct`.
extension FilterPath {
    /// Calls `visit` with each leaf of the path in a value until `visit` returns true.
    ///
    /// At the end of the path the leaves of an array are its items, followed by the array itself. On the path, an array
    /// is traversed through each of its items that is an object and, if the next name is an index, through the item at
    /// this index; at the end of the path such an item is a leaf that isn't expanded. If a value doesn't contain the
    /// path, the leaf is missing (``PathLeaf/node`` is nil); of the items of an array on the path, only objects and the
    /// item at an index that the path names have missing leaves.
    ///
    /// - Parameters:
    ///   - node: the value.
    ///   - readsArrayAsObject: true to read `node`, if it is an array, as an object whose names are the indices of the
    ///     items.
    ///   - bytes: the bytes of the stored body.
    ///   - visit: the function to call with a leaf.
    /// - Returns: whether `visit` ended the traversal, and whether the path met an array.
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
            return PathWalk(isEnded: try visit(PathLeaf(node: node, isWholeArray: true, index: index)), metArray: true)
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

/// The result of a traversal of a path.
@usableFromInline package struct PathWalk: Sendable {
    /// A Boolean value that says whether the visiting function ended the traversal by returning true.
    @usableFromInline package var isEnded: Bool
    /// A Boolean value that says whether there was an array on the path or at its end, before the traversal ended;
    /// false for an empty path, and for an array that was read as an object.
    @usableFromInline package var metArray: Bool

    @inlinable init(isEnded: Bool, metArray: Bool = false) { (self.isEnded, self.metArray) = (isEnded, metArray) }
}

/// One of the values to which a path leads.
@usableFromInline package struct PathLeaf<Node> {
    /// The value; nil if it is missing.
    @usableFromInline package let node: Node?
    /// A Boolean value that says whether the leaf is an array as a whole instead of one of its items.
    @usableFromInline package let isWholeArray: Bool
    /// The index, in the outermost array on the path, of the item in which the value was found; nil if it was found in
    /// none.
    @usableFromInline package let index: Int?
    /// A Boolean value that says whether the leaf is the item at the index that the path's last name denotes; if such
    /// an item is an array, it isn't expanded.
    @usableFromInline package let isPlace: Bool

    @inlinable init(node: Node?, isWholeArray: Bool, index: Int?, isPlace: Bool = false) {
        (self.node, self.isWholeArray, self.index, self.isPlace) = (node, isWholeArray, index, isPlace)
    }
}
