internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteFile
internal import SealiteCredentials
internal import SealiteDatabase

/// An event that a replicator's engine reports while it runs.
enum ReplicatorEvent: Sendable {
    case status(ReplicatorStatus.Activity, ReplicatorStatus.Progress, ReplicatorError?)
    case documents([(DocumentEvent, ReplicatorError?)])
    case connected(ConnectionInfo)
    case certificates([[UInt8]])
    /// The remote has lost the replication checkpoints of these collections, given by their positions in the
    /// configuration, since the start.
    case lostCheckpoints(Set<Int>)
    /// The database's file was replaced by an older copy of itself.
    case replacedFile
    /// The names of the remote's collections.
    case remoteCollections([String])
}
