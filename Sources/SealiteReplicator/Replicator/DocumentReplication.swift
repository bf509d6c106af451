internal import SealiteProtocol

/// Documents that were replicated in one direction, or couldn't be, as reported to a replicator's document listener.
public struct DocumentReplication: Sendable {
    /// A Boolean value that says whether the documents were pushed rather than pulled.
    public let isPush: Bool
    /// The documents that were pushed or pulled since the previous event, each with its error if it wasn't replicated.
    public let documents: [ReplicatedDocument]
}
