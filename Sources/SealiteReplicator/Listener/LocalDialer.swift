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
            throw TransportError(
                .closed, "the database of this program that is the target can't be used as a remote: \(error)")
        }
        let served = endpoint.database.versioning.served
        guard let chosen = request.subprotocols.first(where: served.contains) else {
            let names = served.joined(separator: ", ")
            throw TransportError(
                .http(403), "The request offers none of the supported WebSocket subprotocols: \(names)")
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
