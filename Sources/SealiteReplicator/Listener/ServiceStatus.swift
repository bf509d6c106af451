internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteDatabase

/// The numbers of peers that are connected to a listener.
public struct ServiceStatus: Sendable, Equatable {
    /// The number of connections of peers.
    public var connectionCount = 0
    /// The number of connections with a replication in progress.
    public var activeConnectionCount = 0
}
