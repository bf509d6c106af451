import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("very many collections in one replication")
struct ManyCollectionsTests {
    /// A client and a server with the same collections, of which some have a document on either side.
    private func pair(_ count: Int) throws -> (client: SyncDatabase, server: SyncDatabase, names: [String]) {
        let (client, server) = (try SyncDatabase(), try SyncDatabase())
        let names = (0..<count).map { "c\($0)" }
        for (test, id) in [(client, "mine"), (server, "theirs")] {
            try test.database.write { _ in
                for (number, name) in names.enumerated() {
                    let collection = try test.database.createCollection(name: name)
                    if number % 100 == 0 || number == count - 1 { try test.save(id, "{}", in: collection) }
                }
            }
        }
        return (client, server, names)
    }

    private func collections(_ test: SyncDatabase, _ names: [String]) throws -> [SealiteDatabase.Collection] {
        try names.map { try #require(try test.database.collection(name: $0)) }
    }

    @Test("1,050 collections are replicated in one session, and again from their checkpoints")
    func overThousand() async throws {
        let (client, server, names) = try pair(1_050)
        let service = try ReplicationService(ServiceConfiguration(collections: collections(server, names)))
        let dialer = LoopDialer(service)
        let replicator = try Replicator(
            ReplicatorConfiguration(collections: collections(client, names), target: SyncPair.target()),
            dialing: dialer.dial)
        try await replicator.run()
        #expect(replicator.status.progress.pushedCount == 12 && replicator.status.progress.pulledCount == 12)
        for test in [client, server] {
            #expect(try collections(test, [names[1_049]])[0].count == 2)
        }
        try await replicator.run()
        #expect(replicator.status.progress.documentCount == 0 && dialer.dialCount == 2)
    }

    @Test("more collections than a session can have are refused before anything is sent")
    func tooMany() throws {
        let test = try SyncDatabase()
        let collection = test.collection
        let configuration = ReplicatorConfiguration(
            collections: [SealiteDatabase.Collection](
                repeating: collection, count: 1 + ReplicatorConfiguration.maximumCollectionCount),
            target: try SyncPair.target())
        #expect(throws: ReplicatorError(.invalidConfiguration, "")) { try Replicator(configuration) }
        do {
            _ = try Replicator(configuration)
        } catch {
            #expect(
                (error as ReplicatorError).reason.contains("at most \(ReplicatorConfiguration.maximumCollectionCount)"))
        }
    }
}
