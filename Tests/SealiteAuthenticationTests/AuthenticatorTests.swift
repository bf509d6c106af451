import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import Synchronization
import Testing

@Suite("what authenticators show at a handshake")
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
            (.timedOut, .storeUnavailable), (.noCollection, .storeUnavailable),
            (.unencryptedSession, .storeUnavailable),
        ] {
            await store.fail(with: CredentialError(storeCode, "it is so"))
            for authenticator in authenticators {
                do {
                    _ = try await authenticator.secrets(for: endpoint)
                    Issue.record("nothing was thrown")
                } catch {
                    #expect(error.code == expected && error.isTransient)
                    #expect(error.reason.hasPrefix("credential store"))
                }
            }
        }
    }

    @Test("a store that others may reach is refused for that reason, and not as damaged")
    func looseStore() async throws {
        await store.fail(with: CredentialError(.permission, "others may reach the vault's folder"))
        #expect(
            await code { try await StoreAuthenticator(store: store).secrets(for: endpoint) } == .storePermission)
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
        #expect(stored.identity?.certificates == [[1, 2]] && text(stored.identity?.privateKey) == "key")
        let value = ClientCertificateAuthenticator(certificates: [[3]], privateKey: secret("other"))
        for _ in 0..<2 { #expect(text(try await value.secrets(for: endpoint).identity?.privateKey) == "other") }
    }

    @Test("what a store holds is used in its order: an identity for TLS, and a session before a password")
    func order() async throws {
        let all = StoreAuthenticator(store: store, client: nil)
        #expect(await code { try await all.secrets(for: endpoint) } == .notFound)
        try await store.keep("one", for: endpoint)
        var shown = try await all.secrets(for: endpoint)
        #expect(text(shown.authorization) == "Basic YWxpY2U6b25l" && shown.cookies.isEmpty)
        try await store.save(
            .session(SessionCredential(sessionID: secret("a1"), expires: Date(timeIntervalSinceNow: 9000))),
            service: endpoint, account: "alice")
        shown = try await all.secrets(for: endpoint)
        #expect(shown.authorization == nil && text(shown.cookies.first) == "SyncGatewaySession=a1")
        try await store.save(
            .clientIdentity(ClientIdentityCredential(certificates: [[1]], privateKey: secret("key"))),
            service: endpoint, account: "alice")
        shown = try await all.secrets(for: endpoint)
        #expect(shown.identity?.certificates == [[1]] && text(shown.cookies.first) == "SyncGatewaySession=a1")
        #expect(text(shown.identity?.privateKey) == "key")
    }

    @Test("of several accounts none is taken silently, whatever kinds they have")
    func mixedAccounts() async throws {
        try await store.save(.bearer(secret("tok.en")), service: endpoint, account: "ana")
        try await store.keep("two", for: endpoint, "bob")
        #expect(await code { try await StoreAuthenticator(store: store).secrets(for: endpoint) } == .ambiguous)
        let bob = StoreAuthenticator(store: store, account: "bob")
        #expect(text(try await bob.secrets(for: endpoint).authorization) == "Basic Ym9iOnR3bw==")
    }

    @Test("a client identity that is stored without an account goes with each account that has none of its own")
    func sharedIdentity() async throws {
        func save(_ certificate: UInt8, _ account: String) async throws {
            try await store.save(
                .clientIdentity(ClientIdentityCredential(certificates: [[certificate]], privateKey: secret("key"))),
                service: endpoint, account: account)
        }
        try await store.keep("one", for: endpoint, "alice")
        try await save(1, "")
        for account in ["alice", nil] {
            let authenticator = StoreAuthenticator(store: store, account: account, client: nil)
            let shown = try await authenticator.secrets(for: endpoint)
            #expect(shown.identity?.certificates == [[1]] && shown.authorization != nil)
        }
        try await save(2, "alice")
        let own = try await StoreAuthenticator(store: store, account: "alice", client: nil).secrets(for: endpoint)
        #expect(own.identity?.certificates == [[2]])
        // Commands on one credential never reach another account's.
        try await store.remove(CredentialReference(service: endpoint, account: "alice", kind: .clientIdentity))
        await #expect(throws: CredentialError.self) {
            try await store.find(service: endpoint, account: "alice", kinds: [.clientIdentity])
        }
    }

    @Test("a handshake asks the store once, whatever is shown")
    func oneQuestion() async throws {
        let counted = CountedStore(store)
        try await store.keep("one", for: endpoint)
        let all = StoreAuthenticator(store: counted, client: nil)
        /// Compares what the store is asked with what it should be.
        func check(_ questions: [String], _ body: () async throws -> Void) async throws {
            await counted.forget()
            try await body()
            let asked = await counted.asked
            #expect(asked == questions)
        }
        for authenticator in [all, BasicAuthenticator(store: counted)] as [any Authenticator] {
            try await check(["match"]) { _ = try await authenticator.secrets(for: endpoint) }
        }
        try await store.save(
            .session(SessionCredential(sessionID: secret("a1"), expires: Date(timeIntervalSinceNow: 9000))),
            service: endpoint, account: "alice")
        try await store.save(
            .clientIdentity(ClientIdentityCredential(certificates: [[1]], privateKey: secret("key"))),
            service: endpoint, account: "alice")
        let session = SessionAuthenticator(store: counted, client: nil)
        let identity = ClientCertificateAuthenticator(store: counted)
        for authenticator in [all, session, identity] as [any Authenticator] {
            try await check(["match"]) { _ = try await authenticator.secrets(for: endpoint) }
        }
        try await check(["match"]) { _ = try await all.refused(by: endpoint, status: 401) }
        let renewal = SharedSecret(secret("SyncGatewaySession=a1; Max-Age=60"))
        try await check(["match", "save"]) { await all.accepted(by: endpoint, cookies: [renewal]) }
        try await check([]) { await all.accepted(by: endpoint, cookies: []) }
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
        shown.identity = try await certificate.secrets(for: endpoint).identity
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
        #expect(text(shown.cookies.first)?.contains(marker) == true)
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

    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer {
        let answer = HTTPAnswer(
            status: 200, headers: [], cookies: [SharedSecret(secret("SyncGatewaySession=\(marker)"))])
        words.withLock { $0 = printed(call) + printed(answer) }
        #expect(text(call.body)?.contains(marker) == true)
        return answer
    }
}

/// Notes what is asked of a store.
actor CountedStore: CredentialStore {
    nonisolated let name = "a counted store"
    private let store: InMemoryStore
    private(set) var asked: [String] = []

    init(_ store: InMemoryStore) { self.store = store }

    func forget() { asked = [] }

    func save(
        _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
        access: CredentialAccess
    ) async throws(CredentialError) {
        asked.append("save")
        try await store.save(credential, service: service, account: account, label: label, access: access)
    }

    func read(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) -> Credential {
        asked.append("read")
        return try await store.read(reference, access: access)
    }

    func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
        asked.append("remove")
        try await store.remove(reference, access: access)
    }

    func list(
        service: CredentialService?, access: CredentialAccess
    ) async throws(CredentialError) -> CredentialListing {
        asked.append("list")
        return try await store.list(service: service, access: access)
    }

    func match(
        service: CredentialService, account: String?, kinds: [CredentialKind], access: CredentialAccess
    ) async throws(CredentialError) -> CredentialMatch {
        asked.append("match")
        return try await store.match(service: service, account: account, kinds: kinds, access: access)
    }
}
