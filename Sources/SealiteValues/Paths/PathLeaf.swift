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
