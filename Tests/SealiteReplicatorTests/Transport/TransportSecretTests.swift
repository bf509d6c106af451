import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("Secrets of the transport", .takesSocketTurn)
struct TransportSecretTests {
    private static let marker = "mArKeR-5ecret"

    private func secret(_ prefix: String = "") -> SecretBytes {
        SecretBytes(copying: Array((prefix + Self.marker).utf8))
    }

    /// All that can be printed of a value.
    private func words(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped, maxItems: 100_000)
        return "\(value) " + String(reflecting: value) + dumped
    }

    @Test("no description of a request, an answer or an error shows a secret that was really sent")
    func descriptions() async throws {
        let server = try await RawServer.answering { number, request in
            let cookie = "Set-Cookie: s=\(Self.marker); Path=/\r\n"
            return number == 0
                ? "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\(cookie)\r\n"
                : acceptance(of: request, more: cookie)
        }
        var request = try server.request()
        request.credentials = HandshakeCredentials(
            authorization: SharedSecret(secret("Basic ")), cookies: [SharedSecret(secret("s="))],
            identity: TransportIdentity(certificates: [], privateKey: secret()))
        request.headers = [HTTPField("X-Api-Key", Self.marker), HTTPField("Cookie", Self.marker)]
        request.proxy = nil
        let error = try #require(await request.failure())
        let connection = try await WebSocketDialer().dial(request)
        // The secrets went over the wire, so that the test would see them.
        #expect(server.requests.count == 2)
        for text in server.requests {
            #expect(text.split(separator: Self.marker, omittingEmptySubsequences: false).count == 5)
        }
        #expect(error.answer?.cookies.count == 1)
        let proxy = HTTPProxy(host: "p", port: 1, authorization: SharedSecret(secret()))
        let text =
            words(request) + words(error) + words(connection.info) + words(request.credentials) + words(proxy)
            + words(request.headers) + words(request.credentials.identity as Any) + words(error.answer as Any)
            + words(connection)
        #expect(text.count > 500)
        #expect(!text.contains(Self.marker))
        await connection.close(code: 1_000, reason: "")
        try await server.stop()
    }

    @Test("no description of a replicator, a listener or what they are made with shows a secret that was really sent")
    func configurations() async throws {
        let password = Self.marker
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let checked = Mutex(0)
        let pair = try await NetworkPair.start {
            $0.identity = identity
            $0.passwordCheck = { _, shown in
                checked.withLock { $0 += 1 }
                return shown.duplicate().isEqual(to: SecretBytes(copying: Array(password.utf8)))
            }
        }
        try pair.client.save("mine", "{}")
        let header = HTTPField("X-Api-Key", Self.marker)
        func replicator(_ authenticator: any Authenticator) throws -> Replicator {
            try pair.replicator {
                $0.trust = .pinned([.certificate(identity.certificates[0])])
                $0.authenticator = authenticator
                $0.headers = [header]
            }
        }
        let right = try replicator(BasicAuthenticator(username: "ana", password: secret()))
        try await right.run()
        let wrong = try replicator(BasicAuthenticator(username: "ana", password: secret("not ")))
        let error = await #expect(throws: ReplicatorError.self) { try await wrong.run() }
        #expect(checked.withLock { $0 } == 2 && error?.code == .http(401))
        var configuration = right.configuration
        configuration.proxy = HTTPProxy(host: "p", port: 1, authorization: SharedSecret(secret()))
        var server = FrameServerConfiguration()
        server.identity = TransportIdentity(certificates: [], privateKey: secret())
        // Their databases are in use: looking through one meanwhile would be a race.
        let parts = [configuration as Any, pair.listener.configuration].flatMap { whole in
            Mirror(reflecting: whole).children.filter { $0.label != "collections" }
        }
        #expect(parts.count > 20)
        let text =
            parts.map { words($0.value) }.joined() + words(server) + words(error as Any) + words(right.status)
            + words(wrong.status) + words(pair.listener.status) + words(pair.listener.urls)
            + "\(configuration) \(pair.listener.configuration) \(right) \(pair.listener)"
            + String(reflecting: right) + String(reflecting: pair.listener)
        await pair.listener.stop()
        #expect(text.count > 1_000)
        #expect(!text.contains(Self.marker))
        #expect(!text.contains(Base64.encode(Array("ana:\(Self.marker)".utf8))))
    }

    @Test("an identity that can't be read is not repeated in its error")
    func identity() async throws {
        var request = try UpgradeRequest(to: EndpointURL("wss://127.0.0.1:1/db"))
        request.credentials.identity = TransportIdentity(
            certificates: [try TestCertificates.certificate("client")], privateKey: secret())
        let error = try #require(await request.failure())
        #expect(error.code == .badIdentity)
        #expect(!words(error).contains(Self.marker))
    }

    @Test("Basic authentication is written and read byte for byte")
    func basic() throws {
        for (user, password, text) in [
            ("daniel", "123", "Basic ZGFuaWVsOjEyMw=="), ("jörg", "pässwörd", "Basic asO2cmc6cMOkc3N3w7ZyZA=="),
            ("a", "", "Basic YTo="),
        ] {
            let secret = SecretBytes(copying: Array(password.utf8))
            let value = try HandshakeCredentials.basic(user: user, password: secret).authorization
            let isWritten = try #require(value).duplicate().isEqual(to: SecretBytes(copying: Array(text.utf8)))
            #expect(isWritten)
            let read = try #require(BasicAuthorization.read(text))
            #expect(read.user == user)
            let isRead = read.password.duplicate().isEqual(to: SecretBytes(copying: Array(password.utf8)))
            #expect(isRead)
        }
    }
}
