import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import Synchronization
import Testing

@Suite("What authenticators show at a handshake")
struct AuthenticatorTests {
    private let store = InMemoryStore()
    private let endpoint: CredentialService

    init() throws { endpoint = try CredentialService("wss://sync.example.com/notes") }

    @Test(
        "Basic's header is the one of RFC 7617",
        arguments: [
            ("daniel", "123", "Basic ZGFuaWVsOjEyMw=="), ("jörg", "pässwörd", "Basic asO2cmc6cMOkc3N3w7ZyZA=="),
        ])
    func basic(name: String, password: String, header: String) async throws {
        let value = BasicAuthenticator(username: name, password: secret(password))
        #expect(text(try await value.secrets(for: endpoint).authorization) == header)
        try await store.keep(password, for: endpoint, name)
        let stored = BasicAuthenticator(store: store)
        #expect(text(try await stored.secrets(for: endpoint).authorization) == header)
    }

    @Test("a password that is changed in the store is shown at the next handshake")
    func changed() async throws {
        let basic = BasicAuthenticator(store: store, account: "alice")
        #expect(await code { try await basic.secrets(for: endpoint) } == .notFound)
        try await store.keep("one", for: endpoint)
        let first = text(try await basic.secrets(for: endpoint).authorization)
        try await store.keep("two", for: endpoint)
        let second = text(try await basic.secrets(for: endpoint).authorization)
        #expect(first != nil && second != nil && first != second)
    }

    @Test("a locked or absent store is a passing error, never a refusal")
    func passing() async throws {
        let basic = BasicAuthenticator(store: store, account: "alice")
        let authenticators: [any Authenticator] = [
            basic, SessionAuthenticator(store: store, account: "alice"), StoreAuthenticator(store: store),
        ]
        for (storeCode, expected) in [
            (CredentialError.Code.locked, AuthenticationError.Code.storeLocked), (.noSessionBus, .storeUnavailable),
            (.timedOut, .storeUnavailable),
        ] {
            await store.fail(with: CredentialError(storeCode, "it is so"))
            for authenticator in authenticators {
                do {
                    _ = try await authenticator.secrets(for: endpoint)
                    Issue.record("nothing was thrown")
                } catch {
                    #expect(error.code == expected && error.isPassing)
                    #expect(error.reason.hasPrefix("credential store"))
                }
            }
        }
    }

    @Test("several accounts are told apart, and a name with a colon isn't sent")
    func accounts() async throws {
        try await store.keep("one", for: endpoint, "ana")
        try await store.keep("two", for: endpoint, "bob")
        #expect(await code { try await BasicAuthenticator(store: store).secrets(for: endpoint) } == .ambiguous)
        let bob = BasicAuthenticator(store: store, account: "bob")
        #expect(text(try await bob.secrets(for: endpoint).authorization) == "Basic Ym9iOnR3bw==")
        let colon = BasicAuthenticator(username: "a:b", password: secret("c"))
        #expect(await code { try await colon.secrets(for: endpoint) } == .unusable)
    }

    @Test("a bearer token and a client identity are shown as they are stored")
    func others() async throws {
        try await store.save(.bearer(secret("tok.en")), service: endpoint, account: "")
        let bearer = BearerAuthenticator(store: store)
        #expect(text(try await bearer.secrets(for: endpoint).authorization) == "Bearer tok.en")
        try await store.save(
            .clientIdentity(ClientIdentityCredential(certificates: [[1, 2]], privateKey: secret("key"))),
            service: endpoint, account: "")
        let stored = try await ClientCertificateAuthenticator(store: store).secrets(for: endpoint)
        #expect(stored.certificates == [[1, 2]] && text(stored.privateKey) == "key")
        let value = ClientCertificateAuthenticator(certificates: [[3]], privateKey: secret("other"))
        for _ in 0..<2 { #expect(text(try await value.secrets(for: endpoint).privateKey) == "other") }
    }

    @Test("what a store holds is used in its order: an identity for TLS, and a session before a password")
    func order() async throws {
        let all = StoreAuthenticator(store: store, client: nil)
        #expect(await code { try await all.secrets(for: endpoint) } == .notFound)
        try await store.keep("one", for: endpoint)
        var shown = try await all.secrets(for: endpoint)
        #expect(text(shown.authorization) == "Basic YWxpY2U6b25l" && shown.cookie == nil)
        try await store.save(
            .session(SessionCredential(sessionID: secret("a1"), expires: Date(timeIntervalSinceNow: 9000))),
            service: endpoint, account: "alice")
        shown = try await all.secrets(for: endpoint)
        #expect(shown.authorization == nil && text(shown.cookie) == "SyncGatewaySession=a1")
        try await store.save(
            .clientIdentity(ClientIdentityCredential(certificates: [[1]], privateKey: secret("key"))),
            service: endpoint, account: "alice")
        shown = try await all.secrets(for: endpoint)
        #expect(shown.certificates == [[1]] && text(shown.cookie) == "SyncGatewaySession=a1")
        #expect(text(shown.privateKey) == "key")
    }

    @Test("of several accounts none is taken silently, whatever kinds they have")
    func mixedAccounts() async throws {
        try await store.save(.bearer(secret("tok.en")), service: endpoint, account: "ana")
        try await store.keep("two", for: endpoint, "bob")
        #expect(await code { try await StoreAuthenticator(store: store).secrets(for: endpoint) } == .ambiguous)
        let bob = StoreAuthenticator(store: store, account: "bob")
        #expect(text(try await bob.secrets(for: endpoint).authorization) == "Basic Ym9iOnR3bw==")
    }

    @Test("no description, debug description or dump has anything of a secret")
    func silence() async throws {
        let marker = "Zq7marker"
        try await store.keep(marker, for: endpoint)
        let basic = BasicAuthenticator(username: "a", password: secret(marker))
        let session = SessionAuthenticator(sessionID: secret(marker))
        let certificate = ClientCertificateAuthenticator(certificates: [[1]], privateKey: secret(marker))
        var shown = try await session.secrets(for: endpoint)
        shown.authorization = try await basic.secrets(for: endpoint).authorization
        shown.privateKey = try await certificate.secrets(for: endpoint).privateKey
        var out = "\(basic) \(session) \(certificate) \(shown) \(StoreAuthenticator(store: store))"
        out += String(reflecting: basic) + String(reflecting: shown) + String(reflecting: certificate)
        dump(basic, to: &out)
        dump(shown, to: &out)
        dump(session, to: &out)
        dump(certificate, to: &out)
        try await store.save(.bearer(secret(marker)), service: endpoint, account: "alice")
        let (stored, bearer) = (StoreAuthenticator(store: store), BearerAuthenticator(store: store))
        #expect(text(try await stored.secrets(for: endpoint).authorization)?.contains(marker) == true)
        let observer = CallObserver(marker: marker)
        let client = SessionClient(over: observer)
        _ = await code { try await client.logIn(to: endpoint, name: "a", password: secret(marker)) }
        out += observer.words.withLock { $0 } + printed(stored) + printed(bearer) + printed(store)
        #expect(observer.words.withLock { $0 }.contains("_session"))
        #expect(!out.contains(marker) && !out.contains("WnE3"))
        #expect(text(shown.cookie)?.contains(marker) == true)
    }
}

/// All that can be printed of a value.
private func printed(_ value: some Any) -> String {
    var out = "\(value) " + String(reflecting: value)
    dump(value, to: &out)
    return out
}

/// Keeps what can be printed of a call with a secret in it, and of its answer.
private final class CallObserver: SessionTransport {
    let marker: String
    let words = Mutex("")

    init(marker: String) { self.marker = marker }

    func send(_ call: SessionCall) async throws(AuthenticationError) -> SessionAnswer {
        let answer = SessionAnswer(status: 200, cookies: [SecretBox(secret("SyncGatewaySession=\(marker)"))])
        words.withLock { $0 = printed(call) + printed(answer) }
        #expect(text(call.body)?.contains(marker) == true)
        return answer
    }
}
