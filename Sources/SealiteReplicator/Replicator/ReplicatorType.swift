internal import SealiteCredentials
internal import SealiteDatabase

/// The direction of a replication.
public enum ReplicatorType: String, Sendable, CaseIterable {
    /// In both directions.
    case pushAndPull
    /// From this database to the remote.
    case push
    /// From the remote to this database.
    case pull

    var isPush: Bool { self != .pull }
    var isPull: Bool { self != .push }
}
