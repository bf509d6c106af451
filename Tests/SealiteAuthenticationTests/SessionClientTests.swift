import Foundation
import NIOSSL
import SealiteCredentials
import SealiteCrypto
import SealiteTestSupport
import Testing

@testable import SealiteAuthentication

@Suite("logging in by HTTP")
struct SessionClientTests {
    private static let recorded = Reply(
        headers: [
            ("Content-Type", "application/json"),
            (
                "Set-Cookie",
                "SyncGatewaySession=2c9cd57fb925d4356d3080cd8601fc1c8269d98b; Path=/db; Expires=Sun, 22 Nov 2036 02:25:26 GMT"
            ),
        ],
        body:
            #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}"#
    )

    private func logIn(_ server: StubServer, _ client: SessionClient = SessionClient()) async throws -> String {
        let endpoint = try CredentialService("http://127.0.0.1:\(server.port)/db")
        let session = try await client.logIn(to: endpoint, name: "alice", password: secret("pass-alice"))
        return "\(session.cookieName)=\(text(session.sessionID))"
    }

    @Test("the session of the recorded answer is read, and the request is the one that was asked for")
    func login() async throws {
        let server = try StubServer { _ in Self.recorded }
        let endpoint = try CredentialService("ws://127.0.0.1:\(server.port)/db/_blipsync")
        let session = try await SessionClient().logIn(to: endpoint, name: "al\"ice", password: secret("p\\ä\u{1}😀"))
        #expect(text(session.sessionID) == "2c9cd57fb925d4356d3080cd8601fc1c8269d98b")
        #expect(session.cookieName == "SyncGatewaySession")
        #expect(session.expires?.timeIntervalSince1970 == 2_110_933_526)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.uri == "/db/_session")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["authorization"] == nil)
        let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String]
        #expect(body == ["name": "al\"ice", "password": "p\\ä\u{1}😀"])
    }

    @Test(
        "each refusal has its own error",
        arguments: [
            (401, AuthenticationError.Code.rejected), (403, .rejected), (404, .badAnswer), (429, .serverFailed),
            (500, .serverFailed), (503, .serverFailed), (307, .badAnswer),
        ])
    func refusals(status: Int, expected: AuthenticationError.Code) async throws {
        let other = try StubServer { _ in Self.recorded }
        let target = "http://127.0.0.1:\(other.port)/db/_session"
        let server = try StubServer { _ in Reply(status: status, headers: [("Location", target)]) }
        #expect(await code { try await logIn(server) } == expected)
        #expect(server.requests.count == 1)
        #expect(other.requests.isEmpty)
    }

    @Test("an answer without a session, with two, or without an end is not one to a login")
    func badAnswers() async throws {
        #expect(await code { try await logIn(StubServer { _ in Reply() }) } == .badAnswer)
        let two = try StubServer { _ in Reply(headers: [("Set-Cookie", "a=b"), ("Set-Cookie", "c=d")]) }
        #expect(await code { try await logIn(two) } == .badAnswer)
    }

    @Test("an answer of more than 64 KiB is not one to a login, even with a session", arguments: [65_536, 65_537])
    func longAnswers(byteCount: Int) async throws {
        let server = try StubServer { _ in
            Reply(headers: [("Set-Cookie", "SyncGatewaySession=1")], body: String(repeating: "x", count: byteCount))
        }
        if byteCount > 65_536 {
            #expect(await code { try await logIn(server) } == .badAnswer)
        } else {
            #expect(try await logIn(server) == "SyncGatewaySession=1")
        }
    }

    @Test("a root that is no certificate is refused before anything is sent")
    func badRoot() async throws {
        let server = try StubServer { _ in Self.recorded }
        #expect(await code { try await logIn(server, SessionClient(additionalRoots: [[1, 2, 3]])) } == .unusable)
        #expect(server.requests.isEmpty)
    }

    @Test("a text that is no endpoint is refused", arguments: ["a name", "http://a$b/db"])
    func noEndpoint(text: String) async throws {
        let service = try CredentialService(text)
        #expect(
            await code { try await SessionClient().logIn(to: service, name: "a", password: secret("b")) } == .unusable)
    }

    @Test(
        "only a fault of the server's certificate is told as one",
        arguments: [
            (.unknownIssuer, .untrusted), (.certificateUntrusted, .untrusted), (.badIdentity, .unusable),
            (.tlsFailed, .badAnswer), (.clientCertificateRequired, .badAnswer),
        ] as [(TransportError.Code, AuthenticationError.Code)])
    func failuresOfTLS(_ code: TransportError.Code, _ expected: AuthenticationError.Code) throws {
        let endpoint = try CredentialService("https://localhost/db")
        #expect(AuthenticationError(TransportError(code, "TLS failed"), endpoint: endpoint).code == expected)
    }

    @Test("a cookie of another name will do when it is the only one, and the usual one wins")
    func cookieNames() async throws {
        let own = try StubServer { _ in Reply(headers: [("Set-Cookie", "Mine=1; Secure")]) }
        #expect(try await logIn(own) == "Mine=1")
        let both = try StubServer { _ in
            Reply(headers: [("Set-Cookie", "lb=x"), ("Set-Cookie", "SyncGatewaySession=2"), ("Set-Cookie", "z=y")])
        }
        #expect(try await logIn(both) == "SyncGatewaySession=2")
    }

    @Test("a server that says nothing ends at the time limit, one that isn't there at once")
    func silence() async throws {
        let server = try StubServer { _ in Reply(isSilent: true) }
        let hasty = SessionClient(timeLimit: .milliseconds(300))
        #expect(await code { try await logIn(server, hasty) } == .unreachable)
        let closed = try CredentialService("http://127.0.0.1:1/db")
        #expect(
            await code { try await SessionClient().logIn(to: closed, name: "a", password: secret("b")) } == .unreachable
        )
    }

    @Test("a server that stops in the middle of its answer ends at the time limit too")
    func stalledBody() async throws {
        let reply = Reply(headers: [("Set-Cookie", "SyncGatewaySession=1")], body: "{", missingByteCount: 9)
        let hasty = SessionClient(timeLimit: .milliseconds(300))
        #expect(await code { try await logIn(StubServer { _ in reply }, hasty) } == .unreachable)
        // Another server: the first one may not have got the request in that time.
        let server = try StubServer { _ in reply }
        let patient = SessionClient(timeLimit: .seconds(600))
        let login = Task { await code { try await logIn(server, patient) } }
        await eventually("the request") { !server.requests.isEmpty }
        login.cancel()
        #expect(await login.value == .cancelled)
    }

    @Test("a password isn't sent unencrypted to another machine, nor one that isn't UTF-8 at all")
    func refusedHere() async throws {
        let away = try CredentialService("http://192.0.2.1/db")
        #expect(
            await code { try await SessionClient().logIn(to: away, name: "a", password: secret("b")) } == .unencrypted)
        let server = try StubServer { _ in Self.recorded }
        let endpoint = try CredentialService("http://localhost:\(server.port)/db")
        let bytes = unsafe SecretBytes(byteCount: 2) { unsafe $0.copyBytes(from: [0xFF, 0xFE]) }
        #expect(await code { try await SessionClient().logIn(to: endpoint, name: "a", password: bytes) } == .unusable)
        #expect(server.requests.isEmpty)
    }

    @Test("logging out shows the cookie; a session that is unknown is over as well", arguments: [200, 404])
    func logout(status: Int) async throws {
        let server = try StubServer { _ in Reply(status: status) }
        let endpoint = try CredentialService("http://127.0.0.1:\(server.port)/db")
        let session = SessionCredential(sessionID: secret("abc"), cookieName: "Mine")
        try await SessionClient().logOut(of: endpoint, session: session)
        #expect(server.requests.first?.method == "DELETE")
        #expect(server.requests.first?.headers["cookie"] == "Mine=abc")
    }

    @Test(
        "a certificate of an unknown issuer is refused before anything is sent, and accepted when its issuer is named")
    func trust() async throws {
        let identity = try TestIdentity()
        let server = try StubServer(tls: identity.configuration()) { _ in Self.recorded }
        let endpoint = try CredentialService("https://localhost:\(server.port)/db")
        func logIn(_ client: SessionClient) async throws -> String {
            text(try await client.logIn(to: endpoint, name: "a", password: secret("b")).sessionID)
        }
        #expect(await code { try await logIn(SessionClient()) } == .untrusted)
        #expect(server.requests.isEmpty)
        let trusting = SessionClient(additionalRoots: [try identity.certificate.toDERBytes()])
        #expect(try await logIn(trusting) == "2c9cd57fb925d4356d3080cd8601fc1c8269d98b")
        let elsewhere = try CredentialService("https://127.0.0.1:\(server.port)/db")
        #expect(
            await code { try await trusting.logIn(to: elsewhere, name: "a", password: secret("b")) } == .untrusted)
    }
}
