package import SealiteRevisions

/// Selects the documents of a collection that are replicated. The selection is evaluated for each document, so it may
/// change during a session.
///
/// The announcement of a document that isn't selected is ignored and not repeated: a document that joins the selection
/// later must be looked up, that is, compared with the remote by its id. The methods are called on threads of the
/// replicator and may read and change the database.
package protocol DocumentSelection: Sendable {
    /// The name of the selection in the identity of replication checkpoints, used instead of document ids.
    var name: String { get }

    /// Returns for each document, given by id, whether it is selected, in the same order.
    func selects(_ ids: [String]) throws -> [Bool]

    /// Called before a session offers its first changes to the remote; not called for a session that offers none.
    ///
    /// - Returns: an object that is released when the session has ended.
    func beginSession() throws -> any Sendable

    /// Returns the properties, as JSON text, that are stored for a revision from the remote; nil if the revision isn't
    /// stored.
    func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]?

    /// Returns the properties, as JSON text, that are sent for a revision.
    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]

    /// Called with the revisions that the remote has refused, or with those of the remote that couldn't be stored. The
    /// selection must store the latter durably, because they aren't asked for again.
    func refused(_ refusals: [Refusal]) throws

    /// Called when access to a document was lost, so that it may be removed. A document with changes that the remote
    /// doesn't have must be kept.
    ///
    /// - Returns: whether the document was removed locally.
    func lostAccess(_ id: String) throws -> Bool
}
