internal import SealiteValues

/// A projection: the members of a document that are kept, removed or computed.
struct Projection: Sendable {
    /// The treatment of members that a projection doesn't name.
    enum Mode: Sendable {
        /// Members that aren't named are removed, as are array items on a named path that aren't documents.
        case inclusion
        /// Members that aren't named are kept.
        case exclusion
    }

    let mode: Mode
    let root: ProjectionNode

    /// Returns the projection of a row's document.
    func document(of row: Row, _ evaluation: Evaluation) throws -> MongoDocument {
        evaluation.row = row
        let document = mode == .inclusion ? row.document(ofMembersIn: root.names) : row.document
        guard root.isComputing else { return root.projected(document, mode) }
        let result = try root.computed(root.projected(document, mode), evaluation)
        try BSON.document(result).checkSize()
        return result
    }
}
