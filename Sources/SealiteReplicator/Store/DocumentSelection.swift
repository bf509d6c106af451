package import SealiteRevisions

/// Chooses the documents of a collection that are replicated: which they are is asked anew for each, so that the set may change while a
/// session goes on.
///
/// An announcement of a document that isn't chosen is passed over for good: a document that joins the set has to be looked up. The methods are called on threads
/// of the replicator and may read and change the database.
package protocol DocumentSelection: Sendable {
    /// Names the set in the identity of replication checkpoints, in the place of the ids.
    var name: String { get }

    /// Which documents may travel now, in their order.
    func selects(_ ids: [String]) throws -> [Bool]

    /// Notes that a session begins.
    ///
    /// - Returns: what is let go of when it has ended.
    func beginSession() throws -> any Sendable

    /// Returns the properties, in JSON text, that are stored of a revision from the remote; nil where it isn't to be stored.
    func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]?

    /// Returns the properties, in JSON text, that are sent of a revision.
    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]

    /// Takes note of revisions that the remote has refused.
    func refused(_ refusals: [Refusal]) throws

    /// Takes note that a document may be read no more.
    ///
    /// - Returns: whether it was removed here.
    func lostAccess(_ id: String) throws -> Bool
}
