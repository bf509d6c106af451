import Glibc
import NIOCore
import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("WebSocket connection", .takesSocketTurn)
struct SocketTests {
    @Test("messages of every length go there and back", arguments: [false, true])
    func echo(tls: Bool) async throws {
        let identity = try TransportIdentity.selfSigned(commonName: "Sealite test")
        let echo = try await EchoServer.start { if tls { $0.identity = identity } }
        var request = try echo.request(tls: tls)
        request.trust = .selfSigned
        let connection = try await request.connection()
        let frames = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000, 1 << 20].map { count in
            [UInt8](repeating: UInt8(count & 0xFF) ^ 0x5A, count: count)
        }
        let sending = Task { try await connection.send(frames) }
        #expect(try await connection.receive(frames.count) == frames)
        try await sending.value
        #expect(connection.info.subprotocol == "BLIP_3+CBMobile_3")
        #expect(connection.info.answer?.status == 101)
        #expect(connection.info.tlsVersion == (tls ? "TLSv1.3" : nil))
        #expect(connection.info.peerCertificates == (tls ? identity.certificates : []))
        #expect(echo.connections.first?.database == "db")
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
    }

    @Test("neither end holds back small messages until earlier ones are acknowledged", arguments: [false, true])
    func noDelay(tls: Bool) async throws {
        let served = ResultPromise<any MessageConnection>()
        var configuration = WebSocketServerConfiguration()
        if tls { configuration.identity = try TransportIdentity.selfSigned(commonName: "Sealite test") }
        let server = try await WebSocketServer.start(configuration) { served.give(.success($0)) }
        var request = try UpgradeRequest(to: EndpointURL("\(tls ? "wss" : "ws")://127.0.0.1:\(server.port)/db"))
        request.trust = .selfSigned
        let connection = try await request.connection()
        for end in [connection, try await served.value()] {
            let channel = try #require(end as? WebSocketConnection).channel
            #expect(try await channel.getOption(.tcpOption(.tcp_nodelay)).get() != 0)
        }
        await connection.close(code: 1_000, reason: "")
        await server.stop()
    }

    @Test(
        "link-local IPv6 addresses aren't offered to peers",
        arguments: [
            ("fe80::1", true), ("FEBF::1", true), ("fec0::1", false), ("::1", false), ("2001:db8::fe80", false),
            ("254.128.0.1", false),
        ])
    func linkLocal(address: String, isLinkLocal: Bool) {
        #expect(NetworkInterface.isLinkLocal(address) == isLinkLocal)
        #expect(NetworkInterface.allAddresses().allSatisfy { !$0.lowercased().hasPrefix("fe80:") })
    }

    @Test("messages go both ways over IPv6 too")
    func ipv6() async throws {
        guard NetworkInterface.allAddresses().contains("::1") else { return }
        let echo = try await EchoServer.start { $0.networkInterface = "::1" }
        let connection = try await echo.request(host: "[::1]").connection()
        try await connection.send([1, 2, 3])
        #expect(try await connection.receive(1) == [[1, 2, 3]])
        #expect(connection.info.peerAddress.hasPrefix("[::1]:"))
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
    }

    @Test("a peer that is not read is slowed, and nothing is lost")
    func backPressure() async throws {
        let echo = try await EchoServer.start()
        var request = try echo.request()
        request.limits.receivedByteCount = 32 << 10
        request.limits.sentByteCount = 32 << 10
        let connection = try await request.connection()
        let count = 2_000
        let sending = Task {
            for number in 0..<count {
                try await connection.send([UInt8](repeating: UInt8(number & 0xFF), count: 16_384))
            }
        }
        // All 32 MB can't be under way: the sender comes to wait until the echo is read.
        var number = 0
        for try await frame in connection.messages {
            #expect(frame.count == 16_384 && frame.last == UInt8(number & 0xFF))
            number += 1
            if number == count { break }
        }
        try await sending.value
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
    }

    @Test("the code of a close frame arrives at either end")
    func closeCodes() async throws {
        let ended = ResultPromise<TransportError?>()
        var configuration = WebSocketServerConfiguration()
        configuration.handshakeTimeout = .seconds(60)
        let server = try await WebSocketServer.start(configuration) { connection in
            var first = true
            do throws(TransportError) {
                for try await frame in connection.messages {
                    if first, frame == [1] { await connection.close(code: 4_001, reason: "later \u{1B}[31m") }
                    first = false
                }
                ended.give(.success(nil))
            } catch {
                ended.give(.success(error))
            }
        }
        let url = try EndpointURL("ws://127.0.0.1:\(server.port)/db")
        let closing = try await UpgradeRequest(to: url).connection()
        await closing.close(code: 4_002, reason: "done")
        #expect(try await ended.value()?.code == .closedByPeer(4_002))
        let closed = try await UpgradeRequest(to: url).connection()
        try await closed.send([1])
        let error = await closed.end()
        #expect(error?.code == .closedByPeer(4_001))
        #expect(error?.recovery == .transient)
        #expect(error.map { "\($0)" } == "the peer closed the connection with code 4001: later  [31m")
        await #expect(throws: TransportError(.closedByPeer(4_001), "")) { try await closed.send([1]) }
        await server.stop()
    }

    @Test("a server that stops says 4001, by which clients come back, and refuses connections then")
    func goingAway() async throws {
        // Holds the port when the server has left it.
        let held = try HeldPort()
        let echo = try await EchoServer.start { $0.port = held.port }
        let connections = try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                group.addTask { [request = try echo.request()] in try await request.connection() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A client may have the answer before the server has counted it.
        await eventually("five connections") { echo.server?.connectionCount == 5 }
        let stopping = Task { await echo.stop() }
        for connection in connections {
            let error = await connection.end()
            #expect(error?.code == .closedByPeer(4_001))
            #expect(error?.recovery == .transient)
        }
        await stopping.value
        #expect(echo.server?.connectionCount == 0)
        let late = try UpgradeRequest(to: EndpointURL("ws://127.0.0.1:\(held.port)/db"))
        // A process that another test is just starting has the socket until its program runs.
        await eventually("a refusal") { await late.failure()?.code == .connectionRefused }
        withExtendedLifetime(held) {}
    }

    @Test("a connection that nobody holds is closed")
    func dropped() async throws {
        let echo = try await EchoServer.start()
        do { _ = try await echo.request().connection() }
        await eventually("the close") { echo.server?.connectionCount == 0 }
        await echo.stop()
    }

    @Test("an address that this machine doesn't have can't be listened at; a peer's can't be reached")
    func missingAddress() {
        let error = IOError(errnoCode: EADDRNOTAVAIL, reason: "bind")
        #expect(TransportError(listening: error, place: "port 1").code == .addressUnavailable)
        #expect(TransportError(error, place: "192.0.2.1:1").code == .unreachable)
    }

    @Test("a taken port, an unknown interface and a useless identity are told apart")
    func listening() async throws {
        let echo = try await EchoServer.start()
        let port = echo.server?.port ?? 0
        await #expect(throws: TransportError(.addressUnavailable, "")) { try await EchoServer.start { $0.port = port } }
        await #expect(throws: TransportError(.interfaceNotFound, "")) {
            try await EchoServer.start { $0.networkInterface = "no-such-interface" }
        }
        let one = try TransportIdentity.selfSigned(commonName: "one")
        let other = try TransportIdentity.selfSigned(commonName: "other")
        let mixed = TransportIdentity(certificates: one.certificates, privateKey: other.privateKey.duplicate())
        let empty = TransportIdentity(certificates: [], privateKey: other.privateKey.duplicate())
        let garbage = TransportIdentity(certificates: [[1, 2, 3]], privateKey: other.privateKey.duplicate())
        for identity in [mixed, empty, garbage] {
            await #expect(throws: TransportError(.badIdentity, "")) {
                try await EchoServer.start { $0.identity = identity }
            }
        }
        await #expect(throws: TransportError(.badIdentity, "")) {
            try await EchoServer.start { $0.clientCertificates = .accepted { _ in true } }
        }
        await echo.stop()
    }
}
