internal import SealiteJSON
internal import SealiteValues

extension Row {
    /// The treatment of an array at the end of a path whose values are collected.
    enum LeafChoice {
        /// An array contributes its items; an empty array contributes undefined.
        case sorting
        /// An array contributes its items.
        case items
        /// An array contributes its items and itself.
        case itemsAndArrays
    }

    /// Returns the values at a path by the rules of filters, for which a path continues in each item of an array; a
    /// missing value is nil.
    func leaves(at path: FilterPath, _ choice: LeafChoice) -> [BSON?] {
        let none: [UInt8] = []
        switch content {
        case .made(let document): return Self.leaves(of: BSON.document(document), path, choice, none.span)
        case .stored(_, let id) where path.isID:
            // The path `_id` alone has one value, which isn't an array.
            return path.count == 1 ? [id] : Self.leaves(of: id, path.tail, choice, none.span)
        case .stored(let body, _):
            guard let root = JSONBElement(root: body.span) else { return [nil] }
            return Self.leaves(of: root, path, choice, body.span)
        }
    }

    private static func leaves<Node: FilterNode>(
        of root: Node, _ path: FilterPath, _ choice: LeafChoice, _ bytes: borrowing Span<UInt8>
    ) -> [BSON?] {
        let bytes = copy bytes
        var leaves: [BSON?] = []
        _ = path.visit(root, in: bytes) { (leaf) in
            guard let node = leaf.node else {
                leaves.append(nil)
                return false
            }
            if !leaf.isWholeArray || leaf.isPlace || choice == .itemsAndArrays {
                leaves.append(node.value(in: bytes))
            } else if choice == .sorting, node.itemCount(upTo: 1, in: bytes) == 0 {
                leaves.append(.undefined)
            }
            return false
        }
        return leaves
    }
}
