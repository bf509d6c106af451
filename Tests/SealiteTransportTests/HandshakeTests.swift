import NIOCore
import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("upgrade", .takesSocketTurn)
struct HandshakeTests {
    private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    @Test("the request has the headers that servers expect")
    func request() async throws {
        let server = try await RawServer.answering { _, request in
            acceptance(
                of: request, more: "Set-Cookie: SyncGatewaySession=abc; Path=/db\r\nX-Correlation-Id: 71208e3b\r\n")
        }
        var request = try server.request("/path/db")
        request.credentials = try .basic(user: "jörg", password: secret("pässwörd"))
        request.credentials.cookies =
            HandshakeSecrets.cookie(name: "SyncGatewaySession", value: secret("s1")).cookies
        request.headers = [HTTPField("X-Extra", "1"), HTTPField("Cookie", "a=b")]
        let connection = try await request.connection()
        let lines = try #require(server.requests.first).split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /path/db/_blipsync HTTP/1.1")
        for line in [
            "Host: 127.0.0.1:\(server.port)", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3,BLIP_3+CBMobile_2", "User-Agent: Sealite", "X-Extra: 1",
            "Authorization: Basic asO2cmc6cMOkc3N3w7ZyZA==", "Cookie: SyncGatewaySession=s1; a=b",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.count { $0.hasPrefix("Sec-WebSocket-Key: ") && $0.utf8.count == 19 + 24 } == 1)
        #expect(!lines.contains { $0.hasPrefix("Sec-WebSocket-Extensions") })
        #expect(connection.info.correlationID == "71208e3b")
        let cookies = try #require(connection.info.answer?.cookies)
        #expect(cookies.count == 1)
        let cookie = cookies[0].duplicate()
        let isKept = cookie.isEqual(to: secret("SyncGatewaySession=abc; Path=/db"))
        #expect(isKept)
        #expect(!connection.info.answer!.headers.contains { $0.isNamed("Set-Cookie") })
        try await server.stop()
    }

    @Test("the acceptance is RFC 6455's")
    func acceptanceVector() {
        #expect(UpgradeKey.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(UpgradeKey.acceptance(of: "uiPLeJqeaPbaw3g9VA9ltQ==") == "56lFRgfQ9rCotMR+wdHkxDXJ/wU=")
    }

    @Test(
        "a refusal is an error with its status, its reason and its challenge",
        arguments: [
            (401, false), (403, false), (404, false), (409, false), (426, false), (429, true), (500, false),
            (502, true),
            (503, true), (504, true),
        ])
    func refusals(_ status: Int, _ isTransient: Bool) async throws {
        let body = "{\"error\":\"x\",\"reason\":\"Login required\"}"
        let server = try await RawServer.answering { _, _ in
            "HTTP/1.1 \(status) Whatever\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                + "WWW-Authenticate: Basic realm=\"Couchbase Sync Gateway\"\r\n\r\n" + body
        }
        let error = await (try server.request()).failure()
        #expect(error?.code == .http(status))
        #expect(error?.recovery == (isTransient ? .transient : .permanent))
        #expect(error?.answer?.message == "Login required")
        #expect(error?.answer?["www-authenticate"] == "Basic realm=\"Couchbase Sync Gateway\"")
        try await server.stop()
    }

    @Test(
        "what is no proper upgrade is none",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .protocolViolation),
            ("SSH-2.0-x\r\n\r\n", .protocolViolation),
            ("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", .protocolViolation),
            (
                "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
                .protocolViolation
            ),
        ] as [(String, TransportError.Code)])
    func notUpgraded(_ answer: String, _ code: TransportError.Code) async throws {
        let server = try await RawServer.answering { _, _ in answer }
        #expect(await (try server.request()).failure()?.code == code)
        try await server.stop()
    }

    @Test("a protocol or an extension that was not offered is refused")
    func notOffered() async throws {
        let server = try await RawServer.answering { number, request in
            let answer = acceptance(
                of: request, more: number == 0 ? "" : "Sec-WebSocket-Extensions: permessage-deflate\r\n")
            return number == 0 ? answer.replacing("BLIP_3+CBMobile_3", with: "BLIP_3+CBMobile_9") : answer
        }
        #expect(await (try server.request()).failure()?.code == .noCommonProtocol)
        #expect(await (try server.request()).failure()?.code == .protocolViolation)
        try await server.stop()
    }

    @Test("a message in one piece with the answer is read, although nothing follows it", .endsIfItHangs)
    func messageWithAnswer() async throws {
        let server = try await RawServer.start { _, received, channel in
            let text = String(decoding: received, as: UTF8.self)
            guard text.hasSuffix("\r\n\r\n") else { return }
            // Two WebSocket frames, unmasked.
            channel.put(Array(acceptance(of: text).utf8) + [0x82, 2, 1, 2, 0x82, 1, 3])
        }
        let connection = try await server.request().connection()
        var messages = connection.messages.makeAsyncIterator()
        #expect(try await messages.next() == [1, 2])
        #expect(try await messages.next() == [3])
        try await server.stop()
    }

    @Test("a head without end is cut off")
    func endlessHead() async throws {
        let server = try await RawServer.start { _, _, channel in
            channel.put("HTTP/1.1 101 X\r\n")
            for number in 0..<5_000 { channel.put("X-\(number): \(String(repeating: "x", count: 100))\r\n") }
        }
        #expect(await (try server.request()).failure()?.code == .protocolViolation)
        try await server.stop()
    }

    @Test("a server that trickles its answer, or says nothing, meets the deadline", arguments: [false, true])
    func slowLoris(trickles: Bool) async throws {
        let server = try await RawServer.start { _, received, channel in
            guard trickles, received.count < 2_000 else { return }
            for index in 0..<500 {
                channel.eventLoop.scheduleTask(in: .milliseconds(Int64(20 * index))) {
                    if channel.isActive { channel.put(index == 0 ? "HTTP/1.1 101 X\r\nX: " : "x") }
                }
            }
        }
        var request = try server.request()
        request.handshakeTimeout = .milliseconds(300)
        let error = await request.failure()
        #expect(error?.code == .timedOut)
        #expect(error?.recovery == .transient)
        try await server.stop()
    }

    @Test("a client that trickles its request is thrown out by the server")
    func slowClient() async throws {
        let echo = try await EchoServer.start { $0.handshakeTimeout = .milliseconds(300) }
        let client = try await RawClient.connect(port: echo.server?.port ?? 0)
        // On a loaded machine the server's time may be over before.
        try? await client.send("GET /db/_blipsync HTTP/1.1\r\nHost: x\r\n")
        #expect(await client.untilClosed() == "")
        await echo.stop()
    }

    @Test("cancelling gives up at once")
    func cancelled() async throws {
        let server = try await RawServer.start { _, _, _ in }
        let request = try server.request()
        let dialing = Task { await request.failure() }
        await eventually("the request") { !server.requests.isEmpty }
        dialing.cancel()
        #expect(await dialing.value?.code == .cancelled)
        try await server.stop()
    }

    // MARK: - Redirects

    @Test("a redirect is followed, and a loop has an end")
    func redirects() async throws {
        let server = try await RawServer.answering { number, request in
            if request.hasPrefix("GET /new/_blipsync?x=1") { return acceptance(of: request) }
            if request.hasPrefix("GET /loop") { return "HTTP/1.1 302 Found\r\nLocation: /loop\r\n\r\n" }
            return "HTTP/1.1 307 Temporary\r\nLocation: /new/_blipsync?x=1\r\nContent-Length: 0\r\n\r\n"
        }
        var request = try server.request()
        request.credentials = try .basic(user: "ana", password: secret("p"))
        _ = try await request.connection()
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.contains("Authorization: Basic") })
        #expect(await (try server.request("/loop")).failure()?.code == .tooManyRedirects)
        #expect(server.requests.count == 2 + 11)
        try await server.stop()
    }

    @Test("each status of a redirect is followed, also to a relative reference", arguments: [301, 302, 303, 307, 308])
    func redirectStatus(_ status: Int) async throws {
        let server = try await RawServer.answering { number, request in
            number > 0
                ? acceptance(of: request) : "HTTP/1.1 \(status) Moved\r\nLocation: new\r\nContent-Length: 0\r\n\r\n"
        }
        _ = try await server.request().connection()
        #expect(server.requests.last?.hasPrefix("GET /db/new HTTP/1.1\r\n") == true)
        try await server.stop()
    }

    @Test("a redirect to another port or host loses the credentials")
    func redirectedAway() async throws {
        let other = try await RawServer.answering { _, request in acceptance(of: request) }
        for location in ["http://127.0.0.1:\(other.port)/db/_blipsync", "ws://localhost:\(other.port)/db/_blipsync"] {
            let server = try await RawServer.answering { _, _ in
                "HTTP/1.1 301 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
            }
            var request = try server.request()
            request.credentials = try .basic(user: "ana", password: secret("p"))
            request.credentials.cookies = HandshakeSecrets.cookie(name: "s", value: secret("1")).cookies
            request.headers = [HTTPField("X-Token", "1")]
            _ = try await request.connection()
            #expect(server.requests.first?.contains("Authorization") == true)
            try await server.stop()
        }
        #expect(other.requests.count == 2)
        for request in other.requests {
            #expect(!request.contains("Authorization") && !request.contains("Cookie") && !request.contains("X-Token"))
        }
        try await other.stop()
    }

    @Test(
        "a redirect to nowhere is refused",
        arguments: ["", "Location: \r\n", "Location: ftp://a/\r\n", "Location: #x\r\n"])
    func badRedirect(_ line: String) async throws {
        let server = try await RawServer.answering { _, _ in "HTTP/1.1 302 Found\r\n\(line)Content-Length: 0\r\n\r\n" }
        #expect(await (try server.request()).failure()?.code == .invalidRedirect)
        try await server.stop()
    }

    // MARK: - Credentials in the clear

    @Test("a credential is not sent unencrypted to another machine, unless allowed")
    func unencrypted() async throws {
        // Nothing is looked up or connected: the refusal comes first.
        var request = try UpgradeRequest(to: EndpointURL("ws://sync.invalid/db"))
        request.credentials = try .basic(user: "ana", password: secret("p"))
        #expect(await request.failure()?.code == .unencryptedCredential)
        request.credentials = .cookie(name: "s", value: secret("1"))
        #expect(await request.failure()?.code == .unencryptedCredential)
        request.credentials = HandshakeSecrets()
        request.headers = [HTTPField("authorization", "Bearer x")]
        #expect(await request.failure()?.code == .unencryptedCredential)
    }

    @Test("what would break the request is refused without repeating it")
    func injection() async throws {
        for field in [
            HTTPField("X", "a\r\nY: marker"), HTTPField("X Y", "marker"), HTTPField("Host", "marker"),
            HTTPField("", "marker"),
            HTTPField("Sec-WebSocket-Key", "marker"), HTTPField("X\r\n", "marker"),
        ] {
            var request = try UpgradeRequest(to: EndpointURL("ws://127.0.0.1:1/db"))
            request.headers = [field]
            let error = await request.failure()
            #expect(error?.code == .invalidHeader)
            #expect(error.map { !"\($0)".contains("marker") } ?? false)
        }
        var request = try UpgradeRequest(to: EndpointURL("ws://127.0.0.1:1/db"))
        request.credentials = .cookie(name: "s", value: secret("marker\r\nX: y"))
        #expect(await request.failure()?.code == .invalidHeader)
        request.userAgent = "a\r\nX: marker"
        let proxy = HTTPProxy(host: "127.0.0.1", port: 1)
        #expect(throws: TransportError(.invalidHeader, "")) {
            _ = try ClientRequest(through: proxy, with: request, to: DialTarget(request.endpoint))
        }
        #expect(throws: TransportError(.badIdentity, "")) {
            _ = try HandshakeSecrets.basic(user: "a:b", password: SecretBytes(copying: [1]))
        }
    }

    // MARK: - Proxy

    @Test("a proxy is asked with CONNECT, and TLS goes through it")
    func proxy() async throws {
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let echo = try await EchoServer.start { $0.identity = identity }
        let port = echo.server?.port ?? 0
        let proxy = try await TunnelProxy.start(to: port)
        var request = try echo.request(tls: true, host: "localhost")
        request.trust = .system(additionalRoots: [try TestCertificates.certificate("root")])
        request.credentials = try .basic(user: "ana", password: secret("p"))
        request.proxy = HTTPProxy(
            host: "127.0.0.1", port: proxy.port, authorization: SharedSecret(secret("Basic eA==")))
        let connection = try await request.connection()
        try await connection.send([1, 2])
        #expect(try await connection.receive(1) == [[1, 2]])
        #expect(proxy.request.hasPrefix("CONNECT localhost:\(port) HTTP/1.1\r\n"))
        #expect(proxy.request.contains("Proxy-Authorization: Basic eA==\r\n"))
        #expect(!proxy.request.contains("Authorization: Basic YW5h"))
        await connection.close(code: 1_000, reason: "")
        await echo.stop()
        await proxy.stop()
    }

    @Test("an authorization for the proxy that can't be a header is an error, and isn't left out")
    func proxyAuthorizationWithControls() async throws {
        let proxy = try await RawServer.answering { _, _ in "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n" }
        var request = try UpgradeRequest(to: EndpointURL("wss://sync.invalid/db"))
        request.proxy = HTTPProxy(
            host: "127.0.0.1", port: proxy.port, authorization: SharedSecret(secret("Basic eA==\r\nX: y")))
        #expect(await request.failure()?.code == .invalidHeader)
        try await proxy.stop()
    }

    @Test("a proxy's refusal is told from the server's", arguments: [(407, false), (502, true)])
    func proxyRefuses(_ status: Int, _ isTransient: Bool) async throws {
        let proxy = try await RawServer.answering { _, _ in "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n" }
        var request = try UpgradeRequest(to: EndpointURL("wss://sync.invalid/db"))
        request.proxy = HTTPProxy(host: "127.0.0.1", port: proxy.port)
        let error = await request.failure()
        #expect(error?.code == .proxyRefused(status))
        #expect(error?.recovery == (isTransient ? .transient : .permanent))
        try await proxy.stop()
    }
}
