import NIOCore
import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("hostile WebSocket frames", .takesSocketTurn)
struct HostileFrameTests {
    /// Frames of a hostile server, and how the client's connection ends.
    private static let fromServer: [(String, [UInt8], TransportError.Code)] = [
        ("masked", [0x82, 0x81, 1, 2, 3, 4, 5], .protocolViolation),
        ("a reserved bit", [0xC2, 0x01, 0], .protocolViolation),
        ("text", [0x81, 0x01, 0x61], .protocolViolation),
        ("an unknown opcode", [0x83, 0x00], .protocolViolation),
        ("an unknown control opcode", [0x8B, 0x00], .protocolViolation),
        ("a continuation of nothing", [0x80, 0x00], .protocolViolation),
        ("a message within a message", [0x02, 0x01, 0, 0x82, 0x01, 0], .protocolViolation),
        ("a fragmented ping", [0x09, 0x00], .protocolViolation),
        ("a ping of 126 bytes", [0x89, 0x7E, 0x00, 0x7E] + [UInt8](repeating: 0, count: 126), .protocolViolation),
        ("2^63 bytes announced", [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], .frameTooLarge),
        ("one byte more than allowed", [0x82, 0x7F, 0, 0, 0, 0, 0, 0x10, 0, 1], .frameTooLarge),
        ("a close frame of one byte", [0x88, 0x01, 3], .protocolViolation),
        ("a close code that must not be sent", [0x88, 0x02, 0x03, 0xED], .protocolViolation),
        ("a close code of no meaning", [0x88, 0x02, 0, 0], .protocolViolation),
        ("a close frame without a code", [0x88, 0x00], .closedByPeer(1_005)),
        ("a close frame with 4001", [0x88, 0x02, 0x0F, 0xA1], .closedByPeer(4_001)),
    ]

    @Test("a hostile server's frame ends the connection, each with its error", arguments: fromServer.indices)
    func server(_ index: Int) async throws {
        let (name, frame, code) = Self.fromServer[index]
        let server = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") {
                channel.put(Array(acceptance(of: text).utf8) + [0x82, 0x01, 0x2A] + frame)
            }
        }
        let connection = try await server.request().connection()
        // What came before it, even within the packet of the upgrade, arrives.
        #expect(try await connection.receive(1) == [[0x2A]])
        #expect(await connection.end()?.code == code, "\(name)")
        try await server.stop()
    }

    @Test("fragments that never end are cut off at the limit")
    func endlessFragments() async throws {
        let server = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { return }
            channel.put(Array(acceptance(of: text).utf8) + [0x02, 0x00])
            for _ in 0..<40 { channel.put([0x00, 0x7E, 0x80, 0x00] + [UInt8](repeating: 1, count: 0x8000)) }
        }
        let connection = try await server.request().connection()
        #expect(await connection.end()?.code == .frameTooLarge)
        try await server.stop()
    }

    @Test("fragments make one message, with pings between them answered")
    func fragments() async throws {
        let echo = try await EchoServer.start()
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        try await client.upgrade()
        let head = client.received.count
        // Masked with zeros: 01 02 | ping "x" | 03.
        try await client.send([0x02, 0x82, 0, 0, 0, 0, 1, 2, 0x89, 0x81, 0, 0, 0, 0, 0x78, 0x80, 0x81, 0, 0, 0, 0, 3])
        await client.wait { $0.count >= head + 3 + 5 }
        #expect(Array(client.received[head...]) == [0x8A, 0x01, 0x78, 0x82, 0x03, 1, 2, 3])
        await client.close()
        await echo.stop()
    }

    @Test(
        "a hostile client is closed with a code, and the server serves on",
        arguments: [
            ([0x82, 0x01, 0], 1_002), ([0x81, 0x81, 0, 0, 0, 0, 0x61], 1_002), ([0xA2, 0x81, 0, 0, 0, 0, 0], 1_002),
            ([0x82, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0], 1_009), ([0x80, 0x80, 0, 0, 0, 0], 1_002),
        ] as [([UInt8], Int)])
    func client(_ frame: [UInt8], _ code: Int) async throws {
        let echo = try await EchoServer.start()
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        try await client.upgrade()
        let head = client.received.count
        try await client.send(frame)
        _ = await client.untilClosed()
        #expect(Array(client.received[head...].prefix(4)) == [0x88, 0x02, UInt8(code >> 8), UInt8(code & 0xFF)])
        let connection = try await echo.request().connection()
        try await connection.send([5])
        #expect(try await connection.receive(1) == [[5]])
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
    }

    @Test("a flood of pings is got through, and messages behind it arrive")
    func pingFlood() async throws {
        let echo = try await EchoServer.start()
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        try await client.upgrade()
        let ping: [UInt8] = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 0x70, count: 125)
        for _ in 0..<200 { try await client.send(Array(repeatElement(ping, count: 100).joined())) }
        // The server got through them: a message behind them comes back.
        try await client.send([0x82, 0x81, 0, 0, 0, 0, 0x2A])
        await client.wait { $0.suffix(3) == [0x82, 0x01, 0x2A] }
        #expect(client.received.suffix(3) == [0x82, 0x01, 0x2A])
        await client.close()
        await echo.stop()
    }

    @Test(
        "a server answers what is no proper upgrade",
        arguments: [
            ("POST /db/_blipsync HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "413"),
            ("DELETE /db/_blipsync HTTP/1.1\r\nHost: x\r\n\r\n", "405"), ("GET /db HTTP/1.1\r\nHost: x\r\n\r\n", "404"),
            ("GET /none/_blipsync HTTP/1.1\r\nHost: x\r\n\r\n", "404"),
            ("GET /db/_blipsync HTTP/1.1\r\nHost: x\r\n\r\n", "426"),
            ("GET /db/_blipsync HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n", "403"),
            (
                "GET /db/_blipsync HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + "Sec-WebSocket-Protocol: chat, BLIP_3+CBMobile_9\r\n\r\n", "403"
            ),
            ("\u{16}\u{03}\u{01}garbage\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 99_000), "400"),
        ])
    func refusals(_ request: String, _ status: String) async throws {
        let echo = try await EchoServer.start { $0.hasDatabase = { $0 == "db" } }
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        try? await client.send(request)
        let answer = try #require(await client.untilClosed())
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || status == "400" && answer.isEmpty, "\(answer.prefix(80))")
        await echo.stop()
    }

    @Test(
        "a request without exactly one host, or with an unknown transfer coding, isn't upgraded, and a proper one is",
        arguments: [
            ("", "400"), ("Host: x\r\nHost: y\r\n", "400"), ("Host: x\r\nHost: x\r\n", "400"),
            ("Host: x, y\r\n", "400"), ("Host: x y\r\n", "400"), ("Host: x/y\r\n", "400"),
            ("Host: user@x\r\n", "400"), ("Host: x\r\nTransfer-Encoding: gzip\r\n", "501"),
            ("Host: x\r\nTransfer-Encoding: gzip, chunked\r\n", "501"),
            ("Host: x\r\nTransfer-Encoding: identity\r\n", "501"),
            ("Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "501"),
            ("Host: [::1]:4984\r\n", "101"), ("hOST: sync.example.com:4984\r\n", "101"), ("Host:\r\n", "101"),
        ])
    func framing(_ headers: String, _ status: String) async throws {
        let echo = try await EchoServer.start()
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        try await client.send(
            "GET /db/_blipsync HTTP/1.1\r\n\(headers)Connection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r\n\r\n")
        await client.wait { String(decoding: $0, as: UTF8.self).contains("\r\n\r\n") }
        let answer = String(decoding: client.received, as: UTF8.self)
        // The parser of HTTP itself refuses some of them, as invalid.
        let isRefused = status == "501" && answer.hasPrefix("HTTP/1.1 400 ")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || isRefused, "\(answer.prefix(80))")
        await client.close()
        await echo.stop()
    }

    @Test("passwords are checked before anything is told, and the limit of connections holds")
    func authentication() async throws {
        let echo = try await EchoServer.start {
            $0.hasDatabase = { $0 == "db" }
            $0.maximumConnectionCount = 1
            $0.passwordCheck = { user, password in
                user == "jörg" && password.duplicate().isEqual(to: .init(copying: Array("päss:wörd".utf8)))
            }
        }
        var request = try echo.request()
        #expect(await request.failure()?.answer?["WWW-Authenticate"] == "Basic charset=\"UTF-8\"")
        for (user, password) in [("jörg", "wrong"), ("jörg", ""), ("ana", "päss:wörd")] {
            request.credentials = try .basic(user: user, password: .init(copying: Array(password.utf8)))
            #expect(await request.failure()?.code == .http(401))
        }
        for value in ["Bearer x", "Basic", "Basic !!!!", "Basic YQ==", "Basic YQ", "Basic Og=="] {
            request.credentials = HandshakeSecrets(authorization: SharedSecret(.init(copying: Array(value.utf8))))
            #expect(await request.failure()?.code == .http(401))
        }
        var elsewhere = request
        elsewhere.endpoint = try EndpointURL("ws://127.0.0.1:\(echo.server?.port ?? 0)/none")
        #expect(await elsewhere.failure()?.code == .http(401))
        request.credentials = try .basic(user: "jörg", password: .init(copying: Array("päss:wörd".utf8)))
        let connection = try await request.connection()
        await eventually("the connection") { !echo.connections.isEmpty }
        #expect(echo.connections.map(\.user) == ["jörg"])
        #expect(await request.failure()?.code == .http(503))
        elsewhere.credentials = request.credentials
        #expect(await elsewhere.failure()?.code == .http(404))
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
    }
}
