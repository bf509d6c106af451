import NIOCore
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteTransport

@Suite("network faults", .takesSocketTurn)
struct NetworkFaultTests {
    @Test("nobody listening and a name that doesn't exist are told apart")
    func notThere() async throws {
        let held = try HeldPort()
        let refused = await (try UpgradeRequest(to: EndpointURL("ws://127.0.0.1:\(held.port)/db"))).failure()
        withExtendedLifetime(held) {}
        #expect(refused?.code == .connectionRefused)
        #expect(refused?.recovery == .transient)
        let unknown = await (try UpgradeRequest(to: EndpointURL("ws://no-such-host.invalid/db"))).failure()
        // Without a name server the question can't be answered, which is another error.
        #expect([.unknownHost, .nameServiceFailed, .timedOut].contains(unknown?.code))
    }

    @Test("an interface that doesn't exist is named, and one that does is used")
    func interfaces() async throws {
        let echo = try await EchoServer.start()
        var request = try echo.request()
        request.networkInterface = "no-such-interface"
        #expect(await request.failure()?.code == .interfaceNotFound)
        request.networkInterface = "127.0.0.1"
        #expect(await request.failure() == nil)
        await echo.stop()
    }

    @Test("a connection that is closed or reset before the answer is lost", arguments: [false, true])
    func cutInHandshake(reset: Bool) async throws {
        let server = try await RawServer.start { _, _, channel in
            channel.end(byReset: reset)
        }
        let error = await (try server.request()).failure()
        #expect(error?.code == .lost)
        #expect(error?.recovery == .transient)
        try await server.stop()
    }

    @Test(
        "a connection that ends without a close frame is lost, and what came before is read", arguments: [false, true])
    func cut(reset: Bool) async throws {
        let server = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") {
                channel.put(Array(acceptance(of: text).utf8) + [0x82, 0x02, 1, 2])
            } else {
                // The client has read its message and says so.
                channel.end(byReset: reset)
            }
        }
        let connection = try await server.request().connection()
        #expect(try await connection.receive(1) == [[1, 2]])
        // The server's answer to it, the end, may be here before the call returns.
        try? await connection.send([3])
        let error = await connection.end()
        #expect(error?.code == .lost)
        #expect(error?.recovery == .transient)
        await #expect(throws: TransportError(.lost, "")) { try await connection.send([1]) }
        try await server.stop()
    }

    @Test("a peer that no longer answers is noticed by the heartbeat, one that does is kept")
    func halfOpen() async throws {
        let silent = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") { channel.put(acceptance(of: text)) }
        }
        var request = try silent.request()
        request.heartbeat = .milliseconds(100)
        let lost = try await request.connection()
        #expect(await lost.end()?.code == .lost)
        try await silent.stop()
        // A machine that answers later than within one heartbeat does so within a longer one.
        var isKept = false
        for seconds in [2, 20, 60] where !isKept { isKept = try await self.isKept(heartbeat: .seconds(seconds)) }
        #expect(isKept)
    }

    /// Returns whether a connection whose peer answers pings outlives two heartbeats.
    private func isKept(heartbeat: Duration) async throws -> Bool {
        let counter = PingCounter()
        let answering = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") { channel.put(acceptance(of: text)) } else { counter.answer(channel) }
        }
        var request = try answering.request()
        request.heartbeat = heartbeat
        let connection = try await request.connection()
        var hasEnded = false
        await eventually("two heartbeats") {
            hasEnded = connection.received.hasEnded
            return hasEnded || counter.count >= 2
        }
        let isKept = hasEnded ? false : (try? await connection.send([1])) != nil
        await connection.close(code: 1_000, reason: "")
        try await answering.stop()
        return isKept
    }

    @Test("a peer that doesn't answer a close frame is left after seconds")
    func unansweredClose() async throws {
        let silent = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") { channel.put(acceptance(of: text)) }
        }
        let connection = try await silent.request().connection()
        await connection.close(code: 1_000, reason: String(repeating: "long ", count: 100))
        #expect(await connection.end() == nil)
        try await silent.stop()
    }

    @Test("TLS that is cut, at any byte, is an error and never an end", arguments: [1, 100, 1_500, 3_000, 20_000])
    func tlsCut(at limit: Int) async throws {
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let echo = try await EchoServer.start { $0.identity = identity }
        let proxy = try await TunnelProxy.start(to: echo.server?.port ?? 0, answers: false) { before, bytes, client in
            var bytes = bytes
            let allowed = max(0, limit - before)
            let part = bytes.readSlice(length: min(allowed, bytes.readableBytes)) ?? ByteBuffer()
            client.writeAndFlush(part).whenComplete { _ in
                if before + part.readableBytes >= limit { client.close(promise: nil) }
            }
        }
        var request = try UpgradeRequest(to: EndpointURL("wss://localhost:\(proxy.port)/db"))
        request.networkInterface = "127.0.0.1"
        request.trust = .system(additionalRoots: [try TestCertificates.certificate("root")])
        do {
            let connection = try await request.connection()
            try? await connection.send([UInt8](repeating: 1, count: 100_000))
            #expect(await connection.end()?.code == .lost)
        } catch {
            #expect(error.code == .lost)
        }
        await proxy.stop()
        await echo.stop()
    }

    @Test("bytes that were changed on the way are noticed by TLS")
    func tlsTampered() async throws {
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let echo = try await EchoServer.start { $0.identity = identity }
        let proxy = try await TunnelProxy.start(to: echo.server?.port ?? 0, answers: false) { before, bytes, client in
            var bytes = bytes
            if before > 3_000, let byte = bytes.getInteger(at: bytes.readerIndex + 20, as: UInt8.self) {
                bytes.setInteger(byte ^ 1, at: bytes.readerIndex + 20)
            }
            client.writeAndFlush(bytes, promise: nil)
        }
        var request = try UpgradeRequest(to: EndpointURL("wss://localhost:\(proxy.port)/db"))
        request.networkInterface = "127.0.0.1"
        request.trust = .system(additionalRoots: [try TestCertificates.certificate("root")])
        let connection = try await request.connection()
        // The first echo may be here, and end the connection, before the call returns.
        try? await connection.send([UInt8](repeating: 1, count: 100_000))
        let error = await connection.end()
        #expect(error?.code == .tlsFailed)
        await proxy.stop()
        await echo.stop()
    }

    @Test("a line of 200 ms each way is slow and works")
    func delay() async throws {
        let echo = try await EchoServer.start()
        let proxy = try await TunnelProxy.start(to: echo.server?.port ?? 0, answers: false) { _, bytes, client in
            client.eventLoop.scheduleTask(in: .milliseconds(200)) { client.writeAndFlush(bytes, promise: nil) }
        }
        let connection = try await UpgradeRequest(to: EndpointURL("ws://127.0.0.1:\(proxy.port)/db")).connection()
        try await connection.send([[1], [2], [3]])
        #expect(try await connection.receive(3) == [[1], [2], [3]])
        await connection.close(code: 1_000, reason: "")
        await proxy.stop()
        await echo.stop()
    }
}

/// Answers pings, and counts them.
private final class PingCounter: Sendable {
    private let pings = Mutex(0)

    var count: Int { pings.withLock { $0 } }

    func answer(_ channel: any Channel) {
        pings.withLock { $0 += 1 }
        channel.put([0x8A, 0x00])
    }
}
