import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("limits on connections", .takesSocketTurn)
struct ConnectionLimitTests {
    @Test("a connection that sends nothing is closed, and one that has begun to speak isn't")
    func firstByte() async throws {
        // A machine on which the byte comes too late for one time brings it within a longer one.
        var isServed = false
        for seconds in [2, 20, 60] where !isServed {
            isServed = try await isTalkerServed(timeout: .seconds(seconds))
        }
        #expect(isServed)
    }

    /// Lets a connection begin to speak, and returns whether it is answered after another one was closed in silence.
    private func isTalkerServed(timeout: Duration) async throws -> Bool {
        let echo = try await EchoServer.start { $0.firstByteTimeout = timeout }
        let port = echo.server?.port ?? 0
        let talker = try await RawClient.connect(port: port)
        try? await talker.send("G")
        let silent = try await RawClient.connect(port: port)
        #expect(await silent.untilClosed() == "")
        try? await talker.send("ET /db/_blipsync HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = await talker.untilClosed()
        await echo.stop()
        return answer?.hasPrefix("HTTP/1.1 426 ") == true
    }

    @Test("connections that are idle before they are let in make way for new ones, of the same address too")
    func idle() async throws {
        let echo = try await EchoServer.start {
            $0.handshakeLimit = 4
            $0.connectionsPerAddress = 2
        }
        let port = echo.server?.port ?? 0
        var idle: [RawClient] = []
        for number in 0..<30 {
            let client = try await RawClient.connect(port: port)
            if number % 2 == 0 { try await client.send("GET /db/") }
            idle.append(client)
        }
        let connection = try await echo.request().connection()
        for client in idle.prefix(20) { #expect(await client.untilClosed() == "") }
        // Peers that were let in don't make way.
        for _ in 0..<30 { idle.append(try await RawClient.connect(port: port)) }
        try await connection.send([1])
        #expect(try await connection.receive(1) == [[1]])
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
        withExtendedLifetime(idle) {}
    }

    @Test("each address has its share of peers, and behind a trusted proxy each that the proxy names")
    func share() async throws {
        for isTrusted in [true, false] {
            let echo = try await EchoServer.start {
                $0.connectionsPerAddress = 2
                if isTrusted { $0.trustedProxies = ["127.0.0.0/8"].compactMap(AddressRange.init) }
            }
            func dial(_ forwardedFor: String) async throws -> any MessageConnection {
                var request = try echo.request()
                request.headers = [HTTPField("X-Forwarded-For", forwardedFor)]
                return try await request.connection()
            }
            var connections = [try await dial("192.0.2.1"), try await dial("192.0.2.1")]
            // What the peer wrote itself is no way out.
            for header in ["192.0.2.1", "192.0.2.7, 192.0.2.1", "192.0.2.1, 127.0.0.2"] {
                await #expect(throws: TransportError(.http(429), "")) { _ = try await dial(header) }
            }
            if isTrusted {
                connections.append(try await dial("192.0.2.2"))
                connections.append(try await dial("2001:db8::1"))
                connections.append(try await dial("2001:db8::2"))
                await #expect(throws: TransportError(.http(429), "")) { _ = try await dial("2001:db8::3") }
                await eventually { echo.connections.count == 5 }
                #expect(Set(echo.connections.map(\.peerAddress)).contains("192.0.2.2"))
            } else {
                await #expect(throws: TransportError(.http(429), "")) { _ = try await dial("192.0.2.2") }
            }
            await connections[0].close(code: 1_000, reason: "")
            await eventually { (try? await dial("192.0.2.1")) != nil }
            for connection in connections { await connection.close(code: 1_000, reason: "") }
            await echo.stop()
        }
    }
}
