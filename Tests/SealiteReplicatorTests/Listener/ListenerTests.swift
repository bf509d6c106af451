import SealiteTransportTestSupport
import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("a replicator and a listener, over sockets", .serialized, .takesSocketTurn)
struct ListenerTests {
    @Test("documents and attachments go both ways, with TLS and without", arguments: [true, false])
    func bothWays(_ isEncrypted: Bool) async throws {
        let pair = try await NetworkPair.start { $0.isEncrypted = isEncrypted }
        for index in 0..<300 { try pair.client.save("c\(index)", #"{"n":\#(index)}"#) }
        for index in 0..<300 { try pair.server.save("s\(index)", #"{"n":1.50}"#) }
        let large = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 1_000) }
        try pair.client.save("up", attachment: large)
        try pair.server.save("down", attachment: large.reversed())
        let replicator = try pair.replicator()
        let status = try await replicator.run()
        #expect(status.error == nil && status.activity == .stopped)
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try pair.client.revisions.count == 602)
        #expect(try pair.server.attachment("up") == large)
        #expect(try pair.client.attachment("down") == large.reversed())
        #expect(replicator.serverCertificates == pair.listener.certificates)
        #expect(replicator.serverCertificates.isEmpty != isEncrypted)
        await eventually { pair.listener.status == ServiceStatus() }
        await pair.listener.stop()
    }

    @Test("changes of either side go at once, and a conflict is decided alike by both")
    func continuous() async throws {
        let pair = try await NetworkPair.start()
        try pair.client.save("both", #"{"t":"first"}"#)
        let replicator = try pair.replicator { $0.continuous = true }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        #expect(pair.listener.status.connectionCount == 1)
        for round in 0..<5 {
            try pair.client.save("c\(round)", "{}")
            try pair.server.save("s\(round)", "{}")
            for database in [pair.client, pair.server] {
                try database.change("both", to: "\(round) \(database === pair.client)")
            }
            try await eventually { try pair.client.revisions == pair.server.revisions }
        }
        #expect(try pair.client.json("both") == pair.server.json("both"))
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        #expect(replicator.status.error == nil)
        await pair.listener.stop()
    }

    @Test("several clients are served at once, and meet at the server")
    func severalClients() async throws {
        let pair = try await NetworkPair.start()
        let clients = try (0..<4).map { _ in try SyncDatabase() }
        for (index, client) in clients.enumerated() {
            for number in 0..<50 { try client.save("c\(index)-\(number)", "{}") }
        }
        let replicators = try clients.map { client in try pair.replicator(of: client) { $0.continuous = true } }
        for replicator in replicators { replicator.start() }
        try await eventually { try pair.server.revisions.count == 200 }
        for client in clients {
            try await eventually { try client.revisions == pair.server.revisions }
        }
        #expect(pair.listener.status.connectionCount == 4)
        for replicator in replicators { replicator.stop() }
        await eventually { pair.listener.status.connectionCount == 0 }
        await pair.listener.stop()
    }

    @Test("a listener that only gives refuses what is pushed, and gives")
    func readOnly() async throws {
        let pair = try await NetworkPair.start { $0.readOnly = true }
        try pair.server.save("theirs", "{}")
        try pair.client.save("mine", "{}")
        await #expect(throws: ReplicatorError(.http(403), "")) { try await pair.replicator().run() }
        try await pair.replicator { $0.replicatorType = .pull }.run()
        #expect(try pair.client.json("theirs") == "{}" && pair.server.json("mine") == nil)
        await pair.listener.stop()
    }

    @Test("each run tells the names of the remote's collections")
    func remoteCollections() async throws {
        let pair = try await NetworkPair.start()
        let replicator = try pair.replicator { $0.asksForCollections = true }
        let names = try await replicator.run().remoteCollections
        #expect(names != nil)
        #expect(try await replicator.run().remoteCollections == names)
        await pair.listener.stop()
    }

    @Test("another database's name is answered with 404, and an odd one is escaped in the URL")
    func names() async throws {
        let pair = try await NetworkPair.start { $0.databaseName = "_my/nötes 1" }
        #expect(try pair.target.path == "/-my-n%C3%B6tes%201")
        try pair.server.save("theirs", "{}")
        try await pair.replicator().run()
        #expect(try pair.client.json("theirs") == "{}")
        let elsewhere = try EndpointURL("wss://127.0.0.1:\(pair.listener.port ?? 0)/other")
        await #expect(throws: ReplicatorError(.http(404), "")) {
            try await pair.replicator { $0.target = elsewhere }.run()
        }
        await pair.listener.stop()
    }

    @Test("a certificate that isn't trusted ends the replicator, and is shown")
    func trust() async throws {
        let pair = try await NetworkPair.start()
        for (trust, code) in [
            (ServerTrust.system(), TransportError.Code.unknownIssuer),
            (.pinned([.publicKeyDigest([UInt8](repeating: 7, count: 32))]), .pinMismatch),
        ] {
            let replicator = try pair.replicator { $0.trust = trust }
            await #expect(throws: ReplicatorError(.connection(code), "")) { try await replicator.run() }
            #expect(replicator.serverCertificates == pair.listener.certificates)
            #expect(replicator.status.error?.isTransient == false)
        }
        try await pair.replicator { $0.trust = .selfSigned }.run()
        await pair.listener.stop()
    }

    @Test("a listener that stops says so, a continuous replicator waits for it, and a new one at its port is found")
    func stops() async throws {
        // Holds the port while no listener does.
        let held = try HeldPort()
        let port = held.port
        let pair = try await NetworkPair.start { $0.port = port }
        let replicator = try pair.replicator {
            $0.continuous = true
            $0.maxAttempts = 0
            $0.trust = .selfSigned
        }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        await pair.listener.stop()
        #expect(pair.listener.port == nil && pair.listener.urls.isEmpty && pair.listener.certificates.isEmpty)
        await eventually { replicator.status.activity == .offline }
        try pair.client.save("meanwhile", "{}")
        var configuration = pair.listener.configuration
        configuration.port = port
        let next = ReplicationListener(configuration)
        try await next.startWhereOneWas()
        try await eventually { try pair.server.json("meanwhile") != nil }
        // The port is taken.
        await #expect(throws: ReplicatorError(.connection(.addressUnavailable), "")) {
            try await ReplicationListener(configuration).start()
        }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await next.stop()
        try await replicator.waitUntilRefused()
        withExtendedLifetime(held) {}
    }

    @Test("two listeners serve one database, and closing it ends what both serve")
    func twoListeners() async throws {
        let pair = try await NetworkPair.start()
        let other = ReplicationListener(pair.listener.configuration)
        try await other.start()
        let elsewhere = try EndpointURL(try #require(other.urls.first))
        let second = try SyncDatabase()
        let replicators = try [
            pair.replicator { $0.continuous = true },
            pair.replicator(of: second) {
                $0.continuous = true
                $0.target = elsewhere
                $0.trust = .selfSigned
            },
        ]
        for replicator in replicators { replicator.start() }
        try pair.client.save("first", "{}")
        try second.save("second", "{}")
        try await eventually { try second.revisions.count == 2 && pair.client.revisions.count == 2 }
        // What is still under way when the database is closed would end with another error.
        await eventually { replicators.allSatisfy { $0.status.activity == .idle } }
        try pair.server.close()
        for listener in [pair.listener, other] {
            await eventually { listener.status.connectionCount == 0 }
        }
        // A database that is closed is none.
        await eventually { replicators.allSatisfy { $0.status.activity == .stopped } }
        #expect(replicators.allSatisfy { $0.status.error?.code == .http(404) })
        for listener in [pair.listener, other] { await listener.stop() }
    }

    @Test("configurations that can't work are refused at the start")
    func refusals() async throws {
        let database = try SyncDatabase()
        var configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await ReplicationListener(configuration).start()
        }
        configuration.access = .anyone
        configuration.networkInterface = "no such interface"
        await #expect(throws: ReplicatorError(.connection(.interfaceNotFound), "")) {
            try await ReplicationListener(configuration).start()
        }
        configuration.networkInterface = "127.0.0.1"
        configuration.isEncrypted = false
        configuration.clientCertificates = .accepted { _ in true }
        configuration.access = .authenticated
        await #expect(throws: ReplicatorError(.connection(.badIdentity), "")) {
            try await ReplicationListener(configuration).start()
        }
        (configuration.clientCertificates, configuration.access) = (.notAsked, .anyone)
        configuration.collections = []
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await ReplicationListener(configuration).start()
        }
    }
}
