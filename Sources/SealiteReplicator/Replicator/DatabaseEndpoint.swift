internal import SealiteCredentials
public import SealiteDatabase
internal import SealiteTransport

/// Another database of this program as the remote of a replicator. Nothing goes over a network, and nobody logs in.
///
/// ```swift
/// let endpoint = try DatabaseEndpoint(archive)
/// let replicator = try Replicator(ReplicatorConfiguration(collections: [notes], target: endpoint))
/// ```
/// The remote's collections are those of the same names. It stays open as long as the replicator runs.
public struct DatabaseEndpoint: Sendable {
    /// The remote database.
    public let database: Database
    /// The name under which checkpoints of the replication are stored.
    let name: EndpointURL

    /// Creates the endpoint of an open database.
    ///
    /// - Throws: `notOpen`, and errors from reading the database.
    public init(_ database: Database) throws {
        self.database = database
        name = try EndpointURL("ws://localhost/\(try database.publicUUID())")
    }
}

/// Connects a replicator with a database of the same process.
struct LocalDialer {
    let endpoint: DatabaseEndpoint

    func dial(_ request: UpgradeRequest) async throws(TransportError) -> any MessageConnection {
        let service: ReplicationService
        do {
            service = try makeService()
        } catch {
            throw TransportError(.closed, "the other database can't be opened for a replication: \(error)")
        }
        let served = endpoint.database.versioning.served
        guard let chosen = request.subprotocols.first(where: served.contains) else {
            throw TransportError(.http(403), "Only \(served.joined(separator: ", ")) is spoken")
        }
        let (ours, theirs) = MessagePipe.pair(info: ConnectionInfo(subprotocol: chosen))
        Task { try? await service.serve(theirs) }
        return ours
    }

    private func makeService() throws -> ReplicationService {
        let collections = try endpoint.database.scopes().flatMap { try $0.collections() }
        return try ReplicationService(ServiceConfiguration(collections: collections))
    }
}
