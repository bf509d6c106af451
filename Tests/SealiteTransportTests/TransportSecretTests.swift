import SealiteCrypto
import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("secrets of the transport", .takesSocketTurn)
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
        request.credentials = HandshakeSecrets(
            authorization: SharedSecret(secret("Basic ")), cookies: [SharedSecret(secret("s="))],
            identity: TransportIdentity(certificates: [], privateKey: secret()))
        request.headers = [HTTPField("X-Api-Key", Self.marker), HTTPField("Cookie", Self.marker)]
        request.proxy = nil
        let error = try #require(await request.failure())
        let connection = try await request.connection()
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
            let value = try HandshakeSecrets.basic(user: user, password: secret).authorization
            let isWritten = try #require(value).duplicate().isEqual(to: SecretBytes(copying: Array(text.utf8)))
            #expect(isWritten)
            let read = try #require(BasicAuthorization.read(text))
            #expect(read.user == user)
            let isRead = read.password.duplicate().isEqual(to: SecretBytes(copying: Array(password.utf8)))
            #expect(isRead)
        }
    }
}
