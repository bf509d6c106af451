internal import SealiteProtocol

/// Documents that were replicated in one direction, or failed to be.
public struct DocumentReplication: Sendable {
    /// A Boolean value that says whether the documents were pushed rather than pulled.
    public let isPush: Bool
    /// The documents.
    public let documents: [ReplicatedDocument]
}
