@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import SealiteTransportTestSupport
import SealiteTransport
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("a replicator and a peer that drops its connections")
struct DroppedConnectionTests {
    /// The time at which a connection is dropped.
    enum Drop: CaseIterable {
        case atOnce
        /// The first request is answered, and the next ones are not.
        case behindFirstAnswer
    }

    /// Drops the connections that the pattern says, and has the pair's service serve the others.
    private func dialer(dropping pattern: [Bool], _ drop: Drop, in pair: SyncPair) -> LoopDialer {
        let rest = Mutex(pattern)
        return LoopDialer { [service = pair.service] pipe in
            let isDropped = rest.withLock { rest in rest.isEmpty ? false : rest.removeFirst() }
            guard isDropped else {
                try? await service.serve(pipe)
                return
            }
            if drop == .behindFirstAnswer { try? await Self.answerOne(pipe) }
            pipe.cut()
        }
    }

    private static func answerOne(_ pipe: MessagePipe) async throws {
        let endpoint = try Endpoint()
        for try await frame in pipe.messages {
            for case .request(let request) in try endpoint.receive(frame) {
                guard request.profile == "getCollections" else { return }
                endpoint.reply(to: request.number, with: BLIPOutgoing(body: Array("[{}]".utf8)))
            }
            while let frame = try endpoint.nextFrame() { try await pipe.send([frame]) }
        }
    }

    private func replicator(
        _ pair: SyncPair, _ dialer: LoopDialer, attempts: Int,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        var configuration = ReplicatorConfiguration(
            collections: [pair.client.collection], target: try SyncPair.target())
        configuration.maxAttemptWaitTime = .milliseconds(5)
        configuration.maxAttempts = attempts
        change(&configuration)
        return try Replicator(configuration, dialing: dialer.dial)
    }

    @Test("connections that bring nothing count as failed attempts, so that it ends", arguments: Drop.allCases)
    func ends(_ drop: Drop) async throws {
        let pair = try SyncPair()
        try pair.client.save("a", "{}")
        let dialer = dialer(dropping: Array(repeating: true, count: 100), drop, in: pair)
        let replicator = try replicator(pair, dialer, attempts: 4)
        await #expect(throws: ReplicatorError(.connection(.lost), "")) { try await replicator.run() }
        #expect(dialer.dialCount == 4)
    }

    @Test("attempts are counted anew once there was nothing left to do")
    func countsAnew() async throws {
        let pair = try SyncPair()
        let dialer = dialer(dropping: [true, true, false, true], .behindFirstAnswer, in: pair)
        let replicator = try replicator(pair, dialer, attempts: 3) { $0.continuous = true }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        try pair.client.save("later", "{}")
        dialer.cut()
        try await eventually {
            try dialer.dialCount == 5 && replicator.status.activity == .idle && pair.server.json("later") != nil
        }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
    }

    @Test("a reset whose first connections are dropped still compares everything", arguments: Drop.allCases)
    func reset(_ drop: Drop) async throws {
        let pair = try SyncPair()
        try pair.server.save("a", "{}")
        try await pair.replicator().run()
        // A sync that goes on where it was doesn't ask for it again.
        try await pair.client.collection.purge(id: "a")
        try await pair.replicator().run()
        #expect(try pair.client.json("a") == nil)
        let dialer = dialer(dropping: [true, true], drop, in: pair)
        try await replicator(pair, dialer, attempts: 3).run(reset: true)
        #expect(try pair.client.json("a") != nil && dialer.dialCount == 3)
    }

    @Test("a service ends with a connection that is lost while it waits for its peer to read")
    func lostUnread() async throws {
        let pair = try SyncPair()
        let (ours, theirs) = MessagePipe.pair()
        Task { [service = pair.service] in try await service.serve(theirs) }
        let sentCount = Atomic<Int>(0)
        let flood = Task {
            let endpoint = try Endpoint()
            var random = SeededRandom(part: 1)
            let text = random.bytes(4_000).map { String(Int($0) | 0x100, radix: 16) }.joined().prefix(8_000)
            endpoint.send(
                BLIPOutgoing(["Profile": "setCheckpoint", "client": "cp"], body: Array(#"{"x":"\#(text)"}"#.utf8)))
            let pad = Array(text.utf8.prefix(8_000))
            for _ in 0..<5_000 {
                while let frame = try endpoint.nextFrame() { try await ours.send([frame]) }
                endpoint.send(BLIPOutgoing(["Profile": "getCheckpoint", "client": "cp"], body: pad))
                sentCount.add(1, ordering: .relaxed)
            }
        }
        // Until it takes no more requests, for nobody reads its answers.
        await eventually { pair.service.status.connectionCount == 1 && sentCount.load(ordering: .relaxed) > 0 }
        let last = await settled { sentCount.load(ordering: .relaxed) }
        #expect(pair.service.status.connectionCount == 1 && last < 5_000)
        ours.cut()
        await eventually { pair.service.status.connectionCount == 0 }
        await #expect(throws: TransportError.self) { try await flood.value }
    }
}
