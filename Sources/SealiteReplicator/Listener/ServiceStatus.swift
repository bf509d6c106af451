internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteDatabase

/// The number of connected peers.
public struct ServiceStatus: Sendable, Equatable {
    /// The number of connections.
    public var connectionCount = 0
    /// The number of connections with a replication in progress.
    public var activeConnectionCount = 0
}
