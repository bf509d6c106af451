import SealiteTransportTestSupport
import SealiteTransport
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteReplicator

@Suite("credentials between a replicator and a listener", .serialized)
struct ListenerAuthenticationTests {
    /// The listener's password check for ana; a nil password makes it fail.
    private final class Passwords: Sendable {
        private let current: Mutex<String?>
        private let checks = Mutex(0)
        var checkCount: Int { checks.withLock { $0 } }

        init(_ password: String) { current = Mutex(password) }

        func set(_ password: String?) { current.withLock { $0 = password } }

        func check(_ user: String, _ password: SharedSecret) throws -> Bool {
            checks.withLock { $0 += 1 }
            guard let right = current.withLock({ $0 }) else { throw TransportError(.lost, "the store is locked") }
            return user == "ana" && password.duplicate().isEqual(to: SecretBytes(copying: Array(right.utf8)))
        }
    }

    private let passwords = Passwords("right")
    private let store = InMemoryStore()

    private func start(_ change: (inout ListenerConfiguration) throws -> Void = { _ in }) async throws -> NetworkPair {
        let passwords = passwords
        return try await NetworkPair.start { configuration in
            configuration.passwordCheck = { try passwords.check($0, $1) }
            try change(&configuration)
        }
    }

    private func keep(_ password: String, for target: EndpointURL) async throws {
        try await store.save(
            .password(SecretBytes(copying: Array(password.utf8))), service: CredentialService(target.description),
            account: "ana")
    }

    private func session(for target: EndpointURL) async throws -> String? {
        let reference = try CredentialReference(
            service: CredentialService(target.description), account: "ana", kind: .session)
        do throws(CredentialError) {
            guard case .session(let session) = try await store.read(reference, access: .silent) else { return nil }
            return unsafe session.sessionID.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        } catch {
            return nil
        }
    }

    @Test("a password that is changed in the store counts at the next connection, without a new replicator")
    func basic() async throws {
        let pair = try await start()
        try await keep("wrong", for: pair.target)
        let replicator = try pair.replicator { $0.authenticator = BasicAuthenticator(store: store) }
        await #expect(throws: ReplicatorError(.http(401), "")) { try await replicator.run() }
        #expect(replicator.status.error?.reason.hasPrefix("credentials rejected") == true)
        #expect(replicator.status.error?.answer?["WWW-Authenticate"] == "Basic charset=\"UTF-8\"")
        #expect(replicator.serverCertificates == pair.listener.certificates && !replicator.serverCertificates.isEmpty)
        #expect(replicator.status.error?.serverCertificates == pair.listener.certificates)
        try await keep("right", for: pair.target)
        try await replicator.run()
        await #expect(throws: ReplicatorError(.http(401), "")) { try await pair.replicator().run() }
        await pair.listener.stop()
    }

    @Test("a locked store at a reconnect means offline and another try, never a refusal or an end")
    func lockedStore() async throws {
        // Holds the port while no listener does.
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let pair = try await start { $0.port = held.port }
        try await keep("right", for: pair.target)
        let replicator = try pair.replicator {
            $0.authenticator = BasicAuthenticator(store: store)
            $0.continuous = true
            $0.maxAttempts = 0
            $0.trust = .selfSigned
        }
        replicator.start()
        await eventually { replicator.status.activity == .idle }
        await store.setLocked(true)
        let checkCount = passwords.checkCount
        var configuration = pair.listener.configuration
        configuration.port = held.port
        await pair.listener.stop()
        let next = ReplicationListener(configuration)
        try await next.startWhereOneWas()
        // Of one status: the next attempt has none of the error.
        var error: ReplicatorError?
        await eventually {
            let status = replicator.status
            error = status.error
            return status.activity == .offline && error?.reason.hasPrefix("credential store locked") == true
        }
        #expect(error?.code == .credentialsUnavailable && error?.authentication?.code == .storeLocked)
        #expect(passwords.checkCount == checkCount)
        try pair.client.save("meanwhile", "{}")
        await store.setLocked(false)
        try await eventually { try pair.server.json("meanwhile") != nil }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await next.stop()
    }

    @Test("a listener that can't check passwords now is tried again, not taken for a refusal")
    func unchecked() async throws {
        let pair = try await start()
        try await keep("right", for: pair.target)
        passwords.set(nil)
        let replicator = try pair.replicator {
            $0.authenticator = BasicAuthenticator(store: store)
            $0.maxAttempts = 0
            $0.continuous = true
        }
        replicator.start()
        await eventually { replicator.status.error?.code == .http(503) }
        passwords.set("right")
        await eventually { replicator.status.activity == .idle }
        replicator.stop()
        await eventually { replicator.status.activity == .stopped }
        await pair.listener.stop()
    }

    @Test("a session is had from the listener, used again, and renewed once when it is refused")
    func sessions() async throws {
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let pair = try await start { $0.identity = identity }
        let client = SessionClient(additionalRoots: [try TestCertificates.certificate("root")])
        try await keep("right", for: pair.target)
        let replicator = try pair.replicator {
            $0.authenticator = SessionAuthenticator(store: store, client: client)
        }
        try await replicator.run()
        let first = try #require(try await session(for: pair.target))
        #expect(first.utf8.count == 40)
        try await replicator.run()
        #expect(try await session(for: pair.target) == first)
        // Another password makes the session worthless; with it in the store there is a new session.
        passwords.set("next")
        await #expect(throws: ReplicatorError(.http(401), "")) { try await replicator.run() }
        #expect(replicator.status.error?.reason.hasPrefix("credentials rejected") == true)
        try await keep("next", for: pair.target)
        try await replicator.run()
        let second = try #require(try await session(for: pair.target))
        #expect(second != first)
        await pair.listener.stop()
    }

    @Test("a session that comes anew with the upgrade is kept in the store")
    func renewal() async throws {
        let identity = try TestCertificates.identity("server", with: ["intermediate"])
        let time = ManualTime()
        let pair = try await self.start {
            $0.identity = identity
            $0.sessionLifetime = .seconds(3_600)
            $0.time = time
        }
        let service = try CredentialService(pair.target.description)
        let client = SessionClient(additionalRoots: [try TestCertificates.certificate("root")])
        let session = try await client.logIn(
            to: service, name: "ana", password: SecretBytes(copying: Array("right".utf8)))
        let early = SessionCredential(
            sessionID: session.sessionID.duplicate(), expires: Date().addingTimeInterval(600))
        try await store.save(.session(early), service: service, account: "ana")
        let replicator = try pair.replicator { $0.authenticator = StoreAuthenticator(store: store, client: client) }
        try await replicator.run()
        #expect(try await end(of: service) ?? .distantFuture < Date().addingTimeInterval(700))
        time.advance(by: .seconds(400))
        try await replicator.run()
        #expect(try await end(of: service) ?? .distantPast > Date().addingTimeInterval(3_000))
        await pair.listener.stop()
    }

    private func end(of service: CredentialService) async throws -> Date? {
        let reference = try CredentialReference(service: service, account: "ana", kind: .session)
        guard case .session(let session) = try await store.read(reference, access: .silent) else { return nil }
        return session.expires
    }

    @Test("a session lets in what its password does; a wrong password isn't rescued by it, nor is one of another user")
    func sessionAtTheUpgrade() async throws {
        let pair = try await start { $0.isEncrypted = false }
        let right = SecretBytes(copying: Array("right".utf8))
        let session = try await SessionClient().logIn(
            to: CredentialService(pair.target.description), name: "ana", password: right)
        let cookie = HandshakeSecrets.cookie(name: session.cookieName, value: session.sessionID).cookies
        var request = UpgradeRequest(to: try pair.target)
        for (name, password, isIn) in [
            (nil, "", true), ("ana", "right", true), ("ana", "no", false), ("eve", "right", false),
        ]
            as [(String?, String, Bool)]
        {
            request.credentials = HandshakeSecrets(cookies: cookie)
            if let name {
                let secret = SecretBytes(copying: Array(password.utf8))
                request.credentials.authorization = try HandshakeSecrets.basic(user: name, password: secret)
                    .authorization
            }
            #expect(await request.failure()?.code == (isIn ? nil : .http(401)))
        }
        passwords.set("next")
        request.credentials = HandshakeSecrets(cookies: cookie)
        #expect(await request.failure()?.code == .http(401))
        await pair.listener.stop()
    }

    @Test("a client certificate comes from the store; without it, or with another issuer's, nobody comes in")
    func clientCertificates() async throws {
        let root = try TestCertificates.certificate("root")
        let pair = try await NetworkPair.start { $0.clientCertificates = .issued(by: [root]) }
        let service = try CredentialService(pair.target.description)
        let replicator = try pair.replicator { $0.authenticator = ClientCertificateAuthenticator(store: store) }
        await #expect(throws: ReplicatorError(.credentialsUnavailable, "")) { try await replicator.run() }
        #expect(replicator.status.error?.authentication?.code == .notFound)
        for (name, code) in [
            ("client-of-other", TransportError.Code.clientCertificateRejected as TransportError.Code?), ("client", nil),
        ] {
            let identity = try TestCertificates.identity(name)
            let credential = ClientIdentityCredential(
                certificates: identity.certificates, privateKey: identity.privateKey.duplicate())
            try await store.save(.clientIdentity(credential), service: service, account: "")
            guard let code else { continue }
            await #expect(throws: ReplicatorError(.connection(code), "")) { try await replicator.run() }
        }
        try await replicator.run()
        await #expect(throws: ReplicatorError(.connection(.clientCertificateRequired), "")) {
            try await pair.replicator().run()
        }
        await pair.listener.stop()
    }

    @Test("a login with a wrong password is rejected, and one to another database isn't answered")
    func logins() async throws {
        let pair = try await start { $0.isEncrypted = false }
        let client = SessionClient()
        let service = try CredentialService(pair.target.description)
        await #expect(throws: AuthenticationError(.rejected, "")) {
            _ = try await client.logIn(to: service, name: "ana", password: SecretBytes(copying: [65]))
        }
        let elsewhere = try CredentialService(pair.target.description + "x")
        await #expect(throws: AuthenticationError(.badAnswer, "")) {
            _ = try await client.logIn(
                to: elsewhere, name: "ana", password: SecretBytes(copying: Array("right".utf8)))
        }
        let session = try await client.logIn(
            to: service, name: "ana", password: SecretBytes(copying: Array("right".utf8)))
        try await client.logOut(of: service, session: session)
        try await store.save(.session(session), service: service, account: "ana")
        await #expect(throws: ReplicatorError(.http(401), "")) {
            try await pair.replicator { $0.authenticator = SessionAuthenticator(store: store) }.run()
        }
        await pair.listener.stop()
    }

    @Test("a password isn't sent over plain ws to another machine, unless that is allowed")
    func unencrypted() async throws {
        let database = try SyncDatabase()
        let target = try EndpointURL("ws://192.0.2.1:4984/db")
        try await keep("right", for: target)
        var configuration = ReplicatorConfiguration(collections: [database.collection], target: target)
        configuration.authenticator = BasicAuthenticator(store: store)
        configuration.maxAttempts = 1
        let replicator = try Replicator(configuration)
        await #expect(throws: ReplicatorError(.connection(.unencryptedCredential), "")) { try await replicator.run() }
        configuration.authenticator = SessionAuthenticator(store: store)
        let other = try Replicator(configuration)
        await #expect(throws: ReplicatorError(.connection(.unencryptedCredential), "")) { try await other.run() }
    }
}
