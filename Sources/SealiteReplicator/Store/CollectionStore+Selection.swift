internal import SealiteDatabase
internal import SealiteProtocol
internal import SealiteRevisions

// The effect of a selection on announced and received revisions.
extension CollectionStore {
    /// Compares the announced revisions of selected documents with the stored ones, and returns the decisions in the
    /// order of the rows. The revisions of other documents aren't requested.
    func compareSelected(_ rows: [ChangesRequest.Row]) throws -> [AnnouncementDecision] {
        guard let selection else { return try compare(rows) }
        let isChosen = try selection.selects(rows.map(\.documentID))
        assert(isChosen.count == rows.count, "a selection decides on each document")
        var decisions = try compare(zip(rows, isChosen).filter(\.1).map(\.0))[...]
        return isChosen.map { $0 ? decisions.popFirst() ?? .known : .known }
    }

    /// Inserts the revisions of documents that are selected at that time, in one transaction with the check of the
    /// selection, and returns the outcome of each revision, in order. Other revisions, and those for which the
    /// selection returns no properties to store, are refused with HTTP 403.
    func insertSelected(
        _ revisions: [IncomingRevision], _ given: GivenAttachments
    ) throws -> [RevisionOutcome] {
        guard let selection else { return try insert(revisions, given) }
        return try database.write { _ in
            let isChosen = try selection.selects(revisions.map(\.documentID))
            assert(isChosen.count == revisions.count, "a selection decides on each document")
            let bodies = try zip(revisions, isChosen).map { revision, isChosen in
                try isChosen
                    ? selection.incoming(revision.documentID, revision.body, isDeleted: revision.isDeleted) : nil
            }
            let taken = zip(revisions, bodies).compactMap { revision, body in
                body.map { body in
                    var revision = revision
                    revision.body = body
                    return revision
                }
            }
            var outcomes = try insert(taken, given)[...]
            assert(outcomes.count == taken.count, "each revision has an outcome")
            let refusal = RevisionOutcome.refused(
                status: 403, reason: "the document isn't one of those that are replicated")
            return bodies.map { $0 == nil ? refusal : outcomes.popFirst() ?? refusal }
        }
    }
}
