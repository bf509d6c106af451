internal import SealiteValues

/// A projection: the members of a document that are kept, removed or computed.
struct Projection: Sendable {
    /// The treatment of members that a projection doesn't name.
    enum Mode: Sendable {
        /// They are removed, as are items of arrays that aren't documents.
        case inclusion
        /// They are kept.
        case exclusion
    }

    let mode: Mode
    let root: ProjectionNode

    /// Returns the projected document of a row.
    func document(of row: Row, _ evaluation: Evaluation) throws -> MongoDocument {
        evaluation.row = row
        let document = mode == .inclusion ? row.document(ofMembersIn: root.names) : row.document
        guard root.isComputing else { return root.projected(document, mode) }
        let result = try root.computed(root.projected(document, mode), evaluation)
        try BSON.document(result).checkSize()
        return result
    }
}
