import SealiteAuthentication
import SealiteCrypto
import SealiteTransport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("secrets of a replicator and a listener", .takesSocketTurn)
struct SyncSecretTests {
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
        var server = WebSocketServerConfiguration()
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
}
