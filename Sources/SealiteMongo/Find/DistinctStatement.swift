internal import SealiteJSON
internal import SealiteValues

/// A parsed `distinct`: it finds the distinct values at a path, to which an array contributes its items.
struct DistinctStatement: Sendable {
    private let path: FilterPath
    private let filter: Filter

    init(_ field: String, filter: MongoDocument, context: FilterContext = FilterContext()) throws {
        guard !field.isEmpty else { throw MongoError(code: 56, "The field name of distinct is empty.") }
        path = try FilterPath(field)
        self.filter = try Filter(parsing: filter, context: context)
    }

    /// Returns the distinct values in the order in which they are first found.
    func run(_ source: some DocumentSource) throws -> [BSON] {
        var known: Set<BSONKey> = []
        var values: [BSON] = []
        try source.visit(filter, isReversed: false) { row, _ in
            row.visitLeaves(at: path) { value in
                if known.insert(BSONKey(value)).inserted { values.append(value) }
            }
            return true
        }
        return values
    }
}

extension Row {
    /// Calls `body` with each value at a path; an array at the end of the path contributes its items instead of itself.
    func visitLeaves(at path: FilterPath, _ body: (BSON) -> Void) {
        func visit<Node: FilterNode>(_ path: FilterPath, _ root: Node, _ bytes: borrowing Span<UInt8>) {
            let bytes = copy bytes
            _ = path.visit(root, in: bytes) { (leaf) in
                if !leaf.isWholeArray, let value = leaf.node?.value(in: bytes) { body(value) }
                return false
            }
        }
        let none: [UInt8] = []
        switch content {
        case .made(let document): visit(path, BSON.document(document), none.span)
        case .stored(_, let id) where path.isID: visit(path.tail, id, none.span)
        case .stored(let bytes, _):
            guard let root = JSONBElement(root: bytes.span) else { return }
            visit(path, root, bytes.span)
        }
    }
}
