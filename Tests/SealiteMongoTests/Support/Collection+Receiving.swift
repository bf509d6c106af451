import SealiteDatabase
import Testing

extension Collection {
    /// Takes the first revision of a document from a peer, as sync does.
    func receive(_ id: String, _ json: String) throws {
        let revision = IncomingRevision(documentID: id, version: Version("1-aa"), body: Array(json.utf8))
        #expect(try insert(revision) == .inserted)
    }
}
