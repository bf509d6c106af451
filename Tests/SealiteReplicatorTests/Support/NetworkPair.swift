import SealiteDatabase
import SealiteTestSupport
import Logging

@testable import SealiteReplicator

/// A server database behind a listener on loopback, and client databases that reach it by sockets.
final class NetworkPair: Sendable {
    let client: SyncDatabase
    let server: SyncDatabase
    let listener: ReplicationListener

    private init(_ client: SyncDatabase, _ server: SyncDatabase, _ listener: ReplicationListener) {
        (self.client, self.server, self.listener) = (client, server, listener)
    }

    /// Listens: encrypted, with a certificate that is made for it, and for anyone, where `change` says nothing else.
    static func start(
        _ databases: (client: SyncDatabase, server: SyncDatabase)? = nil,
        _ change: (inout ListenerConfiguration) throws -> Void = { _ in }
    ) async throws -> NetworkPair {
        let (client, server) = try databases ?? (SyncDatabase(), SyncDatabase())
        var configuration = ListenerConfiguration(collections: [server.collection], databaseName: "db")
        configuration.logger = .silent
        try change(&configuration)
        if case .notAsked = configuration.clientCertificates, configuration.passwordCheck == nil {
            configuration.access = .anyone
        }
        let listener = ReplicationListener(configuration)
        try await listener.start()
        return NetworkPair(client, server, listener)
    }

    /// Where the listener listens.
    var target: EndpointURL {
        get throws { try EndpointURL(listener.urls.first ?? "") }
    }

    /// What pins the listener's certificate.
    var trust: ServerTrust { .pinned(listener.publicKeyDigest.map { [.publicKeyDigest($0)] } ?? []) }

    func replicator(
        of database: SyncDatabase? = nil, _ change: (inout ReplicatorConfiguration) throws -> Void = { _ in }
    ) throws -> Replicator {
        var configuration = ReplicatorConfiguration(
            collections: [(database ?? client).collection], target: try target)
        configuration.trust = trust
        configuration.logger = .silent
        configuration.maxAttemptWaitTime = .milliseconds(20)
        configuration.maxAttempts = 3
        try change(&configuration)
        return try Replicator(configuration)
    }
}
