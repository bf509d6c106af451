import SealiteDatabase
import Testing

extension Collection {
    /// Takes the first revision of a document from a peer, as sync does.
    func receive(_ id: String, _ json: String) throws {
        let revision = try IncomingRevision(
            id: id, revision: try #require(RevisionID("1-aa")), history: [], isDeleted: false, json: Array(json.utf8),
            remote: nil, isConflictAllowed: true)
        #expect(try insert(revision) == .inserted)
    }
}
