/// The limits on the messages of the replication protocol that this side accepts from a peer.
package struct MessageLimits: Sendable, Hashable {
    /// The maximum number of rows in a list of changes or proposals, or in the reply to one, and of document IDs in a
    /// subscription. Known peers send at most 200 rows.
    package var rowCount = 10_000
    /// The maximum number of collections of one connection. The checkpoints of so many, of a replicator's 4,500 bytes at
    /// most, fit into one message.
    package var collectionCount = 5_000
    /// The maximum length of a document ID, in bytes. Sync Gateway accepts 250.
    package var documentIDByteCount = 1_024
    /// The maximum length of a revision ID or version vector, in bytes.
    package var versionByteCount = 8_192
    /// The maximum length of a remote sequence as JSON text, in bytes.
    package var sequenceByteCount = 256
    /// The maximum number of revisions in a history.
    package var historyCount = 10_000
    /// The maximum number of known ancestors that are read from the reply to one row of a list of changes. Further ones
    /// are ignored, since ancestors only shorten the history that is sent. Couchbase Lite names 10.
    package var ancestorCount = 20
    /// The maximum length of a known ancestor's ID in a reply to a list of changes, in bytes. Ancestors with longer
    /// IDs, which no locally stored revision has, are ignored.
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
