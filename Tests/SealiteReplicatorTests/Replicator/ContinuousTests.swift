import SealiteTransportTestSupport
import SealiteTransport
import SealiteAuthentication
import SealiteCredentials
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteDatabase
@testable import SealiteReplicator

@Suite("a replicator that goes on")
struct ContinuousTests {
    private static let lost = TransportError(.lost, "lost")

    @Test("changes of either side go at once, through broken connections, until it is stopped")
    func goesOn() async throws {
        let pair = try SyncPair()
        let replicator = try pair.replicator { $0.continuous = true }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        for round in 0..<5 {
            try pair.client.save("c\(round)", "{}")
            try pair.server.save("s\(round)", "{}")
            if round % 2 == 0 { pair.dialer.cut() }
            try await eventually { try pair.client.revisions == pair.server.revisions }
        }
        #expect(pair.dialer.dialCount >= 3)
        // The service takes leave of a connection that was cut, and notes that the last one is idle, by itself.
        await eventually {
            replicator.status.activity == .idle
                && pair.service.status == ServiceStatus(connectionCount: 1, activeConnectionCount: 0)
        }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        #expect(replicator.status.error == nil)
        await eventually { pair.service.status.connectionCount == 0 }
        // It can be started again.
        try pair.client.save("later", "{}")
        replicator.start()
        try await eventually { try pair.server.json("later") != nil }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
    }

    @Test("a stop that overtakes its start ends that run, and no other one")
    func stopsBeforeItStarts() async throws {
        let pair = try SyncPair()
        let replicator = try pair.replicator { $0.continuous = true }
        let notes = Notes<ReplicatorStatus.Activity>()
        let engine = ReplicatorEngine(
            replicator.configuration, dialing: pair.dialer.dial, database: pair.client.database
        ) {
            if case .status(let activity, _, _) = $0 { notes.add(activity) }
        }
        await engine.stop(1)
        await engine.run(1, isReset: false)
        #expect(notes.all.last == .stopped && pair.dialer.dialCount == 0)
        let running = Task { await engine.run(2, isReset: false) }
        await eventually { notes.all.last == .idle }
        // One that comes late.
        await engine.stop(1)
        try pair.client.save("a", "{}")
        try await eventually { try pair.server.json("a") != nil }
        #expect(pair.dialer.dialCount == 1)
        await engine.stop(2)
        await running.value
        #expect(notes.all.last == .stopped)
    }

    @Test("what may pass is tried again as often as allowed; what may not ends it at once")
    func attempts() async throws {
        let pair = try SyncPair()
        let replicator = try pair.replicator { $0.maxAttempts = 3 }
        pair.dialer.refuse([Self.lost, Self.lost])
        try await replicator.run()
        #expect(pair.dialer.dialCount == 3)
        pair.dialer.refuse([Self.lost, Self.lost, Self.lost])
        await #expect(throws: ReplicatorError(.connection(.lost), "")) { try await replicator.run() }
        #expect(pair.dialer.dialCount == 6)
        pair.dialer.refuse([TransportError(.http(401), "no")])
        await #expect(throws: ReplicatorError(.http(401), "")) { try await replicator.run() }
        pair.dialer.refuse([TransportError(.unknownHost, "no")])
        await #expect(throws: ReplicatorError(.connection(.unknownHost), "")) { try await replicator.run() }
        #expect(pair.dialer.dialCount == 8)
    }

    @Test("credentials that were accepted are shown again for two minutes after the remote refuses them")
    func startingServer() async throws {
        let (time, log) = (ManualTime(), CollectedLog())
        let pair = try SyncPair(time: time)
        let replicator = try pair.replicator { configuration in
            configuration.continuous = true
            configuration.logger = log.logger
        }
        let refusal = TransportError(.http(401), "no")
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        pair.dialer.refuse([refusal, refusal])
        pair.dialer.cut()
        await eventually {
            replicator.retryNow()
            return pair.dialer.dialCount == 4 && replicator.status.activity == .idle
        }
        #expect(log.count(of: "warning", "refused credentials that it had accepted", "rest_ms=120000") == 2)
        pair.dialer.refuse(Array(repeating: refusal, count: 1_000))
        pair.dialer.cut()
        await eventually {
            replicator.retryNow()
            return replicator.status.error?.code == .http(401)
        }
        time.advance(by: .seconds(121))
        // An attempt that began before may wait again, for a time that doesn't come.
        await eventually {
            replicator.retryNow()
            return replicator.status.activity == .stopped
        }
        #expect(replicator.status.error?.code == .http(401))
    }

    @Test("one checkpoint serves both directions: another direction compares nothing anew, unless there is a filter")
    func directions() async throws {
        let pair = try SyncPair()
        for id in ["a", "b"] { try pair.server.save(id, "{}") }
        try pair.client.save("c", "{}")
        func pulled(_ type: ReplicatorType, isFiltered: Bool = false) async throws -> UInt64 {
            let replicator = try pair.replicator { configuration in
                configuration.replicatorType = type
                if isFiltered { configuration.collections[0].pullFilter = { _, _ in true } }
            }
            return try await replicator.run().progress.pulledCount
        }
        #expect(try await pulled(.pull) == 2)
        // What is compared anew comes back.
        try await pair.client.collection.purge(id: "a")
        for type in [ReplicatorType.pushAndPull, .pull, .push, .pull] { #expect(try await pulled(type) == 0) }
        #expect(try pair.server.json("c") != nil)
        #expect(try await pulled(.pull, isFiltered: true) == 1)
        // A loss that a session notices which only pulls is repaired by the next one that pushes.
        let empty = try SyncDatabase()
        let dialer = LoopDialer(try ReplicationService(ServiceConfiguration(collections: [empty.collection])))
        for type in [ReplicatorType.pull, .push] {
            var configuration = ReplicatorConfiguration(
                collections: [pair.client.collection], target: try SyncPair.target())
            configuration.replicatorType = type
            try await Replicator(configuration, dialing: dialer.dial).run()
            #expect(try empty.revisions.count == (type == .pull ? 0 : 3))
        }
    }

    @Test("while it waits it is offline with the reason, and stops or tries again when told")
    func offline() async throws {
        // A time that stands still: it waits until it is told.
        let pair = try SyncPair(time: ManualTime())
        let replicator = try pair.replicator { configuration in
            configuration.continuous = true
            configuration.maxAttemptWaitTime = .seconds(300)
        }
        pair.dialer.refuse([Self.lost, TransportError(.unknownHost, "no such host")])
        replicator.start()
        await eventually { replicator.status.activity == .offline }
        #expect(replicator.status.error?.code == .connection(.lost))
        replicator.retryNow()
        await eventually { replicator.status.error?.code == .connection(.unknownHost) }
        replicator.retryNow()
        await eventually { replicator.status.activity == .idle }
        #expect(replicator.status.error == nil)
        pair.dialer.refuse(Array(repeating: Self.lost, count: 9))
        pair.dialer.cut()
        await eventually { replicator.status.activity == .offline }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
    }

    /// Gives credentials only once a store is open.
    private final class LockedAuthenticator: Authenticator {
        let isLocked = Atomic<Bool>(true)
        let askedCount = Atomic<Int>(0)

        func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
            askedCount.add(1, ordering: .relaxed)
            guard !isLocked.load(ordering: .relaxed) else {
                throw AuthenticationError(.storeLocked, "credential store locked")
            }
            return HandshakeSecrets()
        }
    }

    @Test("a locked credential store means offline, and is asked again at each attempt")
    func lockedStore() async throws {
        let pair = try SyncPair()
        let authenticator = LockedAuthenticator()
        let replicator = try pair.replicator { configuration in
            configuration.continuous = true
            configuration.authenticator = authenticator
        }
        replicator.start()
        await eventually { authenticator.askedCount.load(ordering: .relaxed) > 2 }
        #expect(pair.dialer.dialCount == 0)
        let error = replicator.status.error
        #expect(error?.reason == "credential store locked" || error == nil)
        authenticator.isLocked.store(false, ordering: .relaxed)
        await eventually { replicator.status.activity == .idle }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
    }

    @Test("closing the database ends its replicators and services", arguments: ReplicatorType.allCases)
    func closing(_ type: ReplicatorType) async throws {
        let pair = try SyncPair()
        let replicator = try pair.replicator {
            $0.continuous = true
            $0.replicatorType = type
        }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        try await pair.client.database.close()
        await eventually { replicator.status.activity == .stopped }
        await eventually { pair.service.status.connectionCount == 0 }
    }

    @Test("a session follows the collections that it sends, and the end of the database")
    func following() async throws {
        for (type, own, remote) in [(ReplicatorType.push, 2, 1), (.pull, 1, 2), (.pushAndPull, 2, 2)] {
            let pair = try SyncPair()
            let replicator = try pair.replicator {
                $0.continuous = true
                $0.replicatorType = type
            }
            replicator.start()
            await eventually { replicator.status.activity == .idle }
            #expect(pair.client.database.feed.followerCount == own)
            await eventually { pair.server.database.feed.followerCount == remote }
            replicator.stop()
            await eventually { replicator.status.activity == .stopped }
            await eventually { pair.server.database.feed.followerCount == 0 }
        }
    }

    @Test("a service that stops says so; a one-shot replicator ends, a continuous one comes back")
    func serviceStops() async throws {
        let pair = try SyncPair()
        let replicator = try pair.replicator { $0.continuous = true }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        await pair.service.stop()
        await eventually { pair.dialer.dialCount > 3 }
        #expect(replicator.status.activity != .stopped)
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await #expect(throws: ReplicatorError.self) { try await pair.replicator { $0.maxAttempts = 2 }.run() }
    }
}
