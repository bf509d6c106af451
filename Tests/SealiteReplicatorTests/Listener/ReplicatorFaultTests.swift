@testable import SealiteProtocolTestSupport
import SealiteTransportTestSupport
import Foundation
import NIOCore
import SealiteDatabase
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("replicators on a bad network", .serialized, .takesSocketTurn)
struct ReplicatorFaultTests {
    /// A pair whose replicators go through a proxy.
    private func pair() async throws -> (NetworkPair, FaultyProxy, EndpointURL) {
        let pair = try await NetworkPair.start { $0.isEncrypted = false }
        let proxy = try await FaultyProxy.start(to: pair.listener.port ?? 0)
        return (pair, proxy, try EndpointURL("ws://127.0.0.1:\(proxy.port)/db"))
    }

    private func end(_ pair: NetworkPair, _ proxy: FaultyProxy) async {
        await proxy.stop()
        await pair.listener.stop()
    }

    @Test(
        "a connection that is reset, or closed without a close frame, at any message loses nothing",
        arguments: [true, false])
    func cut(byReset: Bool) async throws {
        let (pair, proxy, target) = try await pair()
        let replicator = try pair.replicator {
            $0.target = target
            $0.maxAttempts = 5
        }
        var limit = 0
        repeat {
            limit += 1
            try pair.client.save("c\(limit)", #"{"n":\#(limit)}"#)
            try pair.server.save("s\(limit)", #"{"n":\#(limit)}"#)
            try (limit % 2 == 0 ? pair.client : pair.server).save(
                "a\(limit)", attachment: (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* limit) })
            let before = proxy.doneCount
            proxy.arm([.cut(after: limit, byReset: byReset)])
            try await replicator.run()
            #expect(try pair.client.revisions == pair.server.revisions, "cut after \(limit)")
            if proxy.doneCount == before { break }
        } while limit < 200
        // It came to its end undisturbed, and was cut before at each message.
        #expect((15..<200).contains(limit))
        #expect(try pair.client.revisions.count == limit * 3)
        #expect(try pair.client.findings.isEmpty && pair.server.findings.isEmpty)
        await end(pair, proxy)
    }

    @Test("a connection on which nothing passes any more is left, and the next one goes on", arguments: [2, 9])
    func halfOpen(limit: Int) async throws {
        let (pair, proxy, target) = try await pair()
        for index in 0..<20 {
            try pair.client.save("c\(index)", "{}")
            try pair.server.save("s\(index)", "{}")
        }
        proxy.arm([.silence(after: limit)])
        let replicator = try pair.replicator {
            $0.target = target
            $0.continuous = true
            $0.maxAttempts = 0
            $0.heartbeat = .milliseconds(500)
        }
        replicator.start()
        try await eventually { try pair.client.revisions == pair.server.revisions }
        #expect(try pair.client.revisions.count == 40 && proxy.connectionCount >= 2)
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await end(pair, proxy)
    }

    /// Documents and attachments on both sides, so that some TLS records of each direction are large.
    private func fill(_ pair: NetworkPair) throws {
        for index in 0..<50 {
            try pair.client.save("c\(index)", #"{"n":\#(index)}"#)
            try pair.server.save("s\(index)", #"{"n":\#(index)}"#)
        }
        var random = SeededRandom(part: 11)
        try pair.client.save("ca", attachment: random.bytes(100_000))
        try pair.server.save("sa", attachment: random.bytes(100_000))
    }

    private func whole(_ pair: NetworkPair) throws -> Bool {
        try pair.client.revisions == pair.server.revisions && pair.client.revisions.count == 102
            && pair.client.findings.isEmpty && pair.server.findings.isEmpty
    }

    @Test(
        "TLS that is cut within a record, in the handshake or later, loses nothing",
        arguments: [100, 900, 1_500, 3_000, 20_000, 90_000])
    func tlsCut(at limit: Int) async throws {
        let pair = try await NetworkPair.start()
        try fill(pair)
        let cutsLeft = Mutex(3)
        let proxy = try await TunnelProxy.start(to: pair.listener.port ?? 0, answers: false) { before, bytes, client in
            var bytes = bytes
            let isCut =
                before < limit && before + bytes.readableBytes >= limit
                && cutsLeft.withLock { left in
                    left -= 1
                    return left >= 0
                }
            guard isCut, let part = bytes.readSlice(length: limit - before) else {
                return client.writeAndFlush(bytes, promise: nil)
            }
            client.writeAndFlush(part).whenComplete { _ in client.close(promise: nil) }
        }
        let target = try EndpointURL("wss://127.0.0.1:\(proxy.port)/db")
        let replicator = try pair.replicator {
            $0.target = target
            $0.maxAttempts = 5
        }
        try await replicator.run()
        #expect(try whole(pair) && cutsLeft.withLock { $0 } < 3)
        await proxy.stop()
        await pair.listener.stop()
    }

    @Test(
        "a slow line loses nothing",
        arguments: ProcessInfo.processInfo.environment["SEALITE_SOAK"] == nil ? [200] : [200, 2_000])
    func delay(milliseconds: Int64) async throws {
        let pair = try await NetworkPair.start()
        try fill(pair)
        let proxy = try await TunnelProxy.start(to: pair.listener.port ?? 0, answers: false) { _, bytes, client in
            client.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { client.writeAndFlush(bytes, promise: nil) }
        }
        let target = try EndpointURL("wss://127.0.0.1:\(proxy.port)/db")
        let replicator = try pair.replicator { $0.target = target }
        let notes = Notes<ReplicatorStatus>()
        let token = replicator.addChangeListener { notes.add($0) }
        try await replicator.run()
        #expect(try whole(pair))
        #expect(!notes.all.contains { $0.activity == .offline })
        token.remove()
        await proxy.stop()
        await pair.listener.stop()
    }

    private func refusal(_ status: Int) -> String {
        let body = #"{"error":"x","reason":"not now"}"#
        return
            "HTTP/1.1 \(status) No\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(
        "a refused handshake ends it with the status, and is tried again only where that may help",
        arguments: [
            (401, false), (403, false), (404, false), (409, false), (426, false), (500, false), (502, true),
            (503, true),
        ])
    func refused(_ status: Int, _ isTransient: Bool) async throws {
        let (pair, proxy, target) = try await pair()
        proxy.arm(Array(repeating: .answer(refusal(status)), count: 9))
        let replicator = try pair.replicator { $0.target = target }
        await #expect(throws: ReplicatorError(.http(status), "")) { try await replicator.run() }
        #expect(replicator.status.error?.isTransient == isTransient)
        #expect(replicator.status.error?.answer?.message == "not now")
        #expect(proxy.connectionCount == (isTransient ? 3 : 1))
        await end(pair, proxy)
    }

    @Test("a server that is overloaded for a while is waited for")
    func overloaded() async throws {
        let (pair, proxy, target) = try await pair()
        try pair.client.save("mine", "{}")
        proxy.arm(Array(repeating: .answer(refusal(503)), count: 5))
        let replicator = try pair.replicator {
            $0.target = target
            $0.continuous = true
            $0.maxAttempts = 0
        }
        replicator.start()
        try await eventually { try pair.server.json("mine") != nil }
        await eventually { replicator.status.activity == .idle }
        #expect(replicator.status.error == nil && proxy.connectionCount == 6)
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await end(pair, proxy)
    }

    @Test("a redirect loop, a name that doesn't exist and a refused connection are told apart")
    func nowhere() async throws {
        let (pair, proxy, target) = try await pair()
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /db/_blipsync\r\nContent-Length: 0\r\n\r\n"
        proxy.arm(Array(repeating: .answer(redirect), count: 100))
        let looping = try pair.replicator { $0.target = target }
        await #expect(throws: ReplicatorError(.connection(.tooManyRedirects), "")) { try await looping.run() }
        #expect(looping.status.error?.isTransient == false && proxy.connectionCount == 11)

        let held = try HeldPort()
        let refused = try pair.replicator { $0.target = try EndpointURL("ws://127.0.0.1:\(held.port)/db") }
        await #expect(throws: ReplicatorError(.connection(.connectionRefused), "")) { try await refused.run() }
        withExtendedLifetime(held) {}
        #expect(refused.status.error?.isTransient == true)

        let nameless = try pair.replicator { $0.target = try EndpointURL("ws://no-such-host.invalid/db") }
        let error = await #expect(throws: ReplicatorError.self) { try await nameless.run() }
        // Without a name server the question can't be answered, which is another error.
        let codes: [ReplicatorError.Code] = [.unknownHost, .nameServiceFailed, .timedOut].map { .connection($0) }
        #expect(error.map { codes.contains($0.code) } == true)
        await end(pair, proxy)
    }
}
