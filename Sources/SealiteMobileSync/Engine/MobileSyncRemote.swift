public import SealiteCredentials
public import SealiteReplicator

/// A remote database that documents are synced with: a Sync Gateway, or a Sealite listener.
public struct MobileSyncRemote: Sendable {
    /// The remote's URL.
    public let target: EndpointURL
    let configure: @Sendable (inout ReplicatorConfiguration) -> Void

    /// Creates a remote.
    ///
    /// - Parameters:
    ///   - target: the remote's URL.
    ///   - configure: sets the connection's other options, such as `authenticator`, `trust` or a proxy. Values that it
    ///     sets for the collections, the target, `replicatorType` and `continuous` are overwritten.
    public init(
        _ target: EndpointURL, configure: @escaping @Sendable (inout ReplicatorConfiguration) -> Void = { _ in }
    ) {
        (self.target, self.configure) = (target, configure)
    }
}

/// The schedule by which documents are synced.
public enum SyncFrequency: Sendable, Hashable {
    /// A connection stays open, and changes on either side are sent immediately.
    case reactive
    /// At regular intervals, one pass: it connects, sends and receives all changes, and disconnects.
    case scheduled(every: Duration)
    /// One pass for each call of ``MobileSync/syncNow()``: it connects, sends and receives all changes, and
    /// disconnects.
    case onDemand
}
