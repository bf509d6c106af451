import SealiteTransportTestSupport
import SealiteTransport
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

@Suite("sessions at a server that no issuer speaks for", .takesSocketTurn)
struct PinnedSessionTests {
    private let store = InMemoryStore()

    private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    /// A listener with a certificate that it made for itself, and ana's password in the client's store.
    private func start(isEncrypted: Bool = true, port: Int = 0) async throws -> (NetworkPair, CredentialService) {
        let pair = try await NetworkPair.start { configuration in
            configuration.isEncrypted = isEncrypted
            configuration.port = port
            configuration.passwordCheck = { user, password in
                user == "ana" && password.duplicate().isEqual(to: SecretBytes(copying: Array("right".utf8)))
            }
        }
        let service = try CredentialService(pair.target.description)
        try await store.save(.password(secret("right")), service: service, account: "ana")
        return (pair, service)
    }

    private func keep(session id: String, for service: CredentialService) async throws {
        try await store.save(
            .session(SessionCredential(sessionID: secret(id), expires: nil)), service: service, account: "ana")
    }

    @Test("a session that is refused is renewed at a server that is known by its pin, and at a self-signed one")
    func renewed() async throws {
        let (pair, service) = try await start()
        try pair.client.save("a", "{}")
        for trust in [pair.trust, .selfSigned] {
            try await keep(session: "long-gone", for: service)
            let replicator = try pair.replicator {
                $0.trust = trust
                $0.authenticator = SessionAuthenticator(store: store, client: SessionClient(trust: trust))
            }
            try await replicator.run()
        }
        #expect(try pair.server.json("a") != nil)
        await pair.listener.stop()
    }

    @Test("a password isn't given to a server that is not the pinned one, and the reason says so")
    func otherServer() async throws {
        let (pair, service) = try await start()
        let other = ServerTrust.pinned([.publicKeyDigest([UInt8](repeating: 7, count: 32))])
        for trust in [other, .system()] {
            let error = await #expect(throws: AuthenticationError(.untrusted, "")) {
                _ = try await SessionClient(trust: trust).logIn(to: service, name: "ana", password: secret("right"))
            }
            #expect(error?.reason.contains("certificate") == true)
        }
        await pair.listener.stop()
    }

    @Test("a session is had, and ended, over what was dialed; a wrong password is rejected", arguments: [true, false])
    func inAndOut(_ isEncrypted: Bool) async throws {
        // Holds the port when the listener has left it.
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let (pair, service) = try await start(isEncrypted: isEncrypted, port: held.port)
        let client = SessionClient(trust: pair.trust)
        await #expect(throws: AuthenticationError(.rejected, "")) {
            _ = try await client.logIn(to: service, name: "ana", password: secret("wrong"))
        }
        let session = try await client.logIn(to: service, name: "ana", password: secret("right"))
        try await client.logOut(of: service, session: session)
        var request = UpgradeRequest(to: try pair.target)
        request.trust = pair.trust
        request.credentials = .cookie(name: session.cookieName, value: session.sessionID)
        #expect(await request.failure()?.code == .http(401))
        await pair.listener.stop()
        await #expect(throws: AuthenticationError(.unreachable, "")) {
            _ = try await client.logIn(to: service, name: "ana", password: secret("right"))
        }
    }

    @Test("a password isn't sent in the clear to another machine")
    func unencrypted() async throws {
        let elsewhere = try CredentialService("ws://192.0.2.1:4984/db")
        await #expect(throws: AuthenticationError(.unencrypted, "")) {
            _ = try await SessionClient(trust: .system()).logIn(to: elsewhere, name: "ana", password: secret("right"))
        }
    }
}
