/// The limits on the messages of the replication protocol that this side accepts from a peer.
package struct MessageLimits: Sendable, Hashable {
    /// The maximum number of rows in a list of changes or proposals, or in the reply to one. Peers send 200.
    package var rowCount = 10_000
    /// The maximum number of collections of one connection.
    package var collectionCount = 1_000
    /// The maximum length of a document ID, in bytes. Sync Gateway accepts 250.
    package var documentIDByteCount = 1_024
    /// The maximum length of a revision ID or version vector, in bytes.
    package var versionByteCount = 8_192
    /// The maximum length of a remote sequence as JSON text, in bytes.
    package var sequenceByteCount = 256
    /// The maximum number of revisions in a history.
    package var historyCount = 10_000
    /// The maximum number of revisions that a wanted row may name as known ancestors, followed by the maximum length of
    /// their ids in bytes. Further or longer ids are ignored, since ancestors only shorten the history that is sent.
    /// Couchbase Lite names 10 ancestors, and no locally stored revision has a longer id.
    package var ancestorCount = 20
    package var ancestorByteCount = 300
    /// The maximum size of a replication checkpoint that is stored for a peer, in bytes: about 400 ranges of sequences.
    package var checkpointByteCount = 8 << 10
    /// The maximum size of a replication checkpoint that is read from a remote, in bytes. Checkpoints of this
    /// implementation have about 4,500 bytes at most.
    package var remoteCheckpointByteCount = 32 << 10
    /// The maximum length of a replication checkpoint's ID, in bytes. Couchbase Lite's IDs have 31.
    package var checkpointIDByteCount = 255

    package init() {}
}
