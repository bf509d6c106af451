internal import SealiteDatabase
internal import SealiteTransport

/// Connects a replicator with another database of the same process, without a network.
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
        let collections = try endpoint.database.collectionsOfAllScopes()
        return try ReplicationService(ServiceConfiguration(collections: collections))
    }
}
