import SealiteTransportTestSupport
import SealiteTransport
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

/// The way in which Couchbase Lite Core 4.0.4 classifies the end of a connection: its continuous replicators reconnect
/// after transient errors, and stop permanently after all others.
private enum LiteCoreTable {
    static func isTransient(_ error: TransportError?) -> Bool {
        switch error?.code {
        case .closedByPeer(let code): [1_006, 4_001].contains(code)
        case .http(let status): [408, 429, 502, 503, 504].contains(status)
        case .lost, .connectionRefused, .timedOut: true
        default: false
        }
    }
}

@Suite("a listener that is stopped and started again", .takesSocketTurn)
struct ListenerRestartTests {
    @Test("by the code that it closes with Couchbase Lite's continuous clients come back")
    func code() async throws {
        let pair = try await NetworkPair.start { $0.isEncrypted = false }
        let connections = try await [
            UpgradeRequest(to: pair.target).connection(),
            UpgradeRequest(to: pair.target).connection(),
        ]
        await eventually { pair.listener.status.connectionCount == 2 }
        let stopping = Task { await pair.listener.stop() }
        for connection in connections {
            let error = await connection.end()
            #expect(
                error?.code == .closedByPeer(4_001) && LiteCoreTable.isTransient(error), "\(String(describing: error))")
        }
        await stopping.value
    }

    @Test("a listener that is stopped while it starts doesn't listen")
    func stoppedWhileStarting() async throws {
        let database = try SyncDatabase()
        var configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        (configuration.access, configuration.logger) = (.anyone, .silent)
        let listener = ReplicationListener(configuration)
        let start = Task { try await listener.start() }
        await eventually(longestPause: .microseconds(20)) { listener.isStarted }
        await listener.stop()
        try await start.value
        #expect(listener.port == nil && !listener.isStarted)
    }

    @Test("a listener answers for as long as it serves, whatever collection is deleted meanwhile")
    func deletedCollection() async throws {
        let database = try SyncDatabase()
        let first = try await database.database.createCollection(name: "first")
        var configuration = ListenerConfiguration(collections: [first, database.collection], databaseName: "db")
        (configuration.access, configuration.logger) = (.anyone, .silent)
        let listener = ReplicationListener(configuration)
        #expect(await !listener.answers())
        try await listener.start()
        #expect(await listener.answers())
        try await database.database.deleteCollection(name: "first")
        #expect(await listener.answers())
        await listener.stop()
        #expect(await !listener.answers())
    }

    @Test("each of several starts at once returns when it listens, or fails as the first does")
    func startedAtOnce() async throws {
        let database = try SyncDatabase()
        var configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        (configuration.access, configuration.logger) = (.anyone, .silent)
        let listener = ReplicationListener(configuration)
        let starts = (0..<8).map { _ in
            Task {
                try await listener.start()
                return listener.port
            }
        }
        for start in starts { #expect(try await start.value != nil) }
        await listener.stop()
        configuration.networkInterface = "no such interface"
        let failing = ReplicationListener(configuration)
        let failures = (0..<8).map { _ in Task { try await failing.start() } }
        for failure in failures {
            await #expect(throws: ReplicatorError(.connection(.interfaceNotFound), "")) { try await failure.value }
        }
    }

    @Test("a listener that is released closes its connections too")
    func released() async throws {
        let databases = (client: try SyncDatabase(), server: try SyncDatabase())
        let connection = try await connection(toReleasedListenerOf: databases)
        #expect(await connection.end()?.code == .closedByPeer(4_001))
        withExtendedLifetime(databases) {}
    }

    /// Connects to a listener whose last reference is released when this method returns.
    private func connection(
        toReleasedListenerOf databases: (client: SyncDatabase, server: SyncDatabase)
    ) async throws -> any MessageConnection {
        let pair = try await NetworkPair.start(databases) { $0.isEncrypted = false }
        let connection = try await UpgradeRequest(to: pair.target).connection()
        await eventually { pair.listener.status.connectionCount == 1 }
        return connection
    }

    @Test("a continuous replicator comes back to it by itself", arguments: [true, false])
    func continuous(_ isEncrypted: Bool) async throws {
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let pair = try await NetworkPair.start {
            $0.port = held.port
            $0.isEncrypted = isEncrypted
        }
        let ends = Notes<ReplicatorError>()
        let replicator = try pair.replicator {
            $0.continuous = true
            $0.maxAttempts = 0
            $0.trust = .selfSigned
        }
        let token = replicator.addChangeListener { status in
            if let error = status.error { ends.add(error) }
        }
        replicator.start()
        for round in 0..<2 {
            await eventually { replicator.status.activity == .idle }
            await pair.listener.stop()
            await eventually { replicator.status.activity == .offline }
            try pair.server.save("meanwhile-\(round)", "{}")
            try await pair.listener.startWhereOneWas()
            try await eventually { try pair.client.json("meanwhile-\(round)") != nil }
        }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        // A listener's calls are on a queue.
        await eventually { ends.all.contains { $0.code == .connection(.closedByPeer(4_001)) } }
        #expect(ends.all.allSatisfy { $0.isTransient })
        withExtendedLifetime(token) {}
        await pair.listener.stop()
    }
}
