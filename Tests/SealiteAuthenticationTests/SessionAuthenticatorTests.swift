import Foundation
import SealiteCredentials
import SealiteCrypto
import Synchronization
import Testing

@testable import SealiteAuthentication

@Suite("a session authenticator")
struct SessionAuthenticatorTests {
    /// Hands out sessions `s1`, `s2`, … to those who know the password, each for an hour.
    private final class Issuer: Sendable {
        let server: StubServer
        let endpoint: CredentialService
        let store = InMemoryStore()

        init() throws {
            let count = Mutex(0)
            let box = CountBox(count: count)
            server = try StubServer { request in
                guard String(decoding: request.body, as: UTF8.self).contains(#""password":"right""#) else {
                    return Reply(status: 401, body: #"{"error":"Unauthorized","reason":"Invalid login"}"#)
                }
                let number = box.next()
                return Reply(headers: [("Set-Cookie", "SyncGatewaySession=s\(number); Path=/db; Max-Age=3600")])
            }
            endpoint = try CredentialService("ws://127.0.0.1:\(server.port)/db")
        }

        func authenticator(at now: @escaping @Sendable () -> Date = { Date() }) -> SessionAuthenticator {
            SessionAuthenticator(store: store, client: SessionClient(now: now))
        }
    }

    private final class CountBox: Sendable {
        private let count: Mutex<Int>
        init(count: consuming Mutex<Int>) { self.count = count }
        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    private let issuer: Issuer
    init() throws { issuer = try Issuer() }

    private func cookie(_ authenticator: SessionAuthenticator) async throws -> String? {
        text(try await authenticator.secrets(for: issuer.endpoint).cookies.first)
    }

    @Test("a session authenticator logs in when there is no session, stores it with its end, and uses it from then on")
    func firstLogin() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s1")
        let stored = try await issuer.store.session(for: issuer.endpoint)
        #expect(stored.id == "s1" && stored.name == "SyncGatewaySession")
        let end = try #require(stored.end)
        #expect(abs(end - Date().timeIntervalSince1970 - 3600) < 600)
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s1")
        #expect(try await cookie(issuer.authenticator()) == "SyncGatewaySession=s1")
        #expect(issuer.server.requests.count == 1)
    }

    @Test("a login asks the store once and saves once")
    func oneQuestion() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let counted = CountedStore(issuer.store)
        let authenticator = StoreAuthenticator(store: counted)
        _ = await code { try await SessionAuthenticator(store: counted).secrets(for: issuer.endpoint) }
        #expect(await counted.asked == ["match", "save"])
        await counted.forget()
        #expect(try await authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(await counted.asked == ["match", "save"])
    }

    @Test("a session that is about to end is renewed before it is used")
    func ending() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        #expect(try await cookie(issuer.authenticator()) == "SyncGatewaySession=s1")
        #expect(try await cookie(issuer.authenticator { Date() + 3500 }) == "SyncGatewaySession=s1")
        #expect(try await cookie(issuer.authenticator { Date() + 3590 }) == "SyncGatewaySession=s2")
    }

    @Test("a refused session is renewed once; a new one that is refused too ends the matter")
    func refused() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        _ = try await cookie(authenticator)
        #expect(try await authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s2")
        #expect(try await !authenticator.refused(by: issuer.endpoint, status: 401))
        await authenticator.accepted(by: issuer.endpoint, cookies: [])
        #expect(try await authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s3")
        #expect(try await !authenticator.refused(by: issuer.endpoint, status: 403))
    }

    @Test("two handshakes that are refused for one session are both given the new one, by one login")
    func refusedTogether() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        for _ in 0..<2 { #expect(try await cookie(authenticator) == "SyncGatewaySession=s1") }
        #expect(try await authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s2")
        #expect(try await authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s2")
        #expect(try await !authenticator.refused(by: issuer.endpoint, status: 401))
        #expect(issuer.server.requests.count == 2)
    }

    @Test("a wrong password is reported as that, also when it is found at a renewal, and the session stays")
    func wrongPassword() async throws {
        try await issuer.store.keep("wrong", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        #expect(await code { try await cookie(authenticator) } == .rejected)
        try await issuer.store.keep("right", for: issuer.endpoint)
        #expect(try await cookie(authenticator) == "SyncGatewaySession=s1")
        try await issuer.store.keep("wrong", for: issuer.endpoint)
        #expect(
            await code { try await authenticator.refused(by: issuer.endpoint, status: 401) } == .rejected)
        #expect(try await issuer.store.session(for: issuer.endpoint).id == "s1")
    }

    @Test("without a password a stored session is used until it ends, and a refusal stands")
    func noPassword() async throws {
        let start = Date()
        try await issuer.store.save(
            .session(SessionCredential(sessionID: secret("given"), expires: start + 3600)),
            service: issuer.endpoint, account: "alice")
        // Half a minute before its end a new one is wanted, and can't be had. The clock stands, however slow the test is.
        let authenticator = issuer.authenticator { start + 3570 }
        #expect(try await cookie(authenticator) == "SyncGatewaySession=given")
        #expect(try await !authenticator.refused(by: issuer.endpoint, status: 401))
        let later = issuer.authenticator { start + 3660 }
        #expect(await code { try await cookie(later) } == .notFound)
        let never = SessionAuthenticator(store: issuer.store, client: nil)
        #expect(try await cookie(never) == "SyncGatewaySession=given")
    }

    @Test("eight handshakes at once log in once")
    func together() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        let endpoint = issuer.endpoint
        let shown = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { text(try await authenticator.secrets(for: endpoint).cookies.first) } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(shown == ["SyncGatewaySession=s1"])
        #expect(issuer.server.requests.count == 1)
    }

    @Test("a renewal that comes with an answer is stored; other cookies and removals are not")
    func renewals() async throws {
        try await issuer.store.keep("right", for: issuer.endpoint)
        let authenticator = issuer.authenticator()
        _ = try await cookie(authenticator)
        let headers = ["lb=1", "SyncGatewaySession=; Max-Age=0", "SyncGatewaySession=s1; Path=/db; Max-Age=86400"]
        await authenticator.accepted(by: issuer.endpoint, cookies: headers.map { SharedSecret(secret($0)) })
        let stored = try await issuer.store.session(for: issuer.endpoint)
        let end = try #require(stored.end)
        #expect(stored.id == "s1" && end > Date().timeIntervalSince1970 + 80_000)
    }

    @Test("a session given as a value is shown, and renewed by answers, without any store")
    func value() async throws {
        let authenticator = SessionAuthenticator(sessionID: secret("v1"), cookieName: "Mine")
        #expect(try await cookie(authenticator) == "Mine=v1")
        await authenticator.accepted(by: issuer.endpoint, cookies: [SharedSecret(secret("Mine=v2; Max-Age=60"))])
        #expect(try await cookie(authenticator) == "Mine=v2")
        #expect(try await !authenticator.refused(by: issuer.endpoint, status: 401))
    }

    @Test("a server that is away is a passing error")
    func away() async throws {
        let endpoint = try CredentialService("ws://127.0.0.1:1/db")
        try await issuer.store.keep("right", for: endpoint)
        let error = await #expect(throws: AuthenticationError.self) {
            try await issuer.authenticator().secrets(for: endpoint)
        }
        #expect(error?.code == .unreachable && error?.isTransient == true)
    }
}
