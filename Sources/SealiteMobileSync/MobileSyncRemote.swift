public import SealiteCredentials
public import SealiteReplicator

/// A remote database that documents are synced with: a Sync Gateway, or a Sealite listener.
public struct MobileSyncRemote: Sendable {
    /// Its URL.
    public let target: EndpointURL
    let configure: @Sendable (inout ReplicatorConfiguration) -> Void

    /// A remote.
    ///
    /// - Parameters:
    ///   - target: its URL.
    ///   - configure: sets what connections need besides: who calls (`authenticator`), whom to trust (`trust`), a proxy. Which collections and documents
    ///     are replicated, which way and how long isn't its business.
    public init(
        _ target: EndpointURL, configure: @escaping @Sendable (inout ReplicatorConfiguration) -> Void = { _ in }
    ) {
        (self.target, self.configure) = (target, configure)
    }
}

/// The times at which documents are synced.
public enum SyncFrequency: Sendable, Hashable {
    /// At once: a connection stays open, and what happens on either side goes to the other.
    case reactive
    /// In passes, one after each interval.
    case scheduled(every: Duration)
    /// In passes, whenever ``MobileSync/syncNow()`` is called.
    case onDemand
}
