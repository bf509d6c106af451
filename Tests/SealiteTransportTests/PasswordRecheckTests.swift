import SealiteBase
import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteTransport

@Suite("passwords of open connections", .takesSocketTurn)
struct PasswordRecheckTests {
    /// The answer of the check of passwords.
    private enum Answer { case right, wrong, unavailable }
    private struct Unavailable: Error {}

    /// Lets the interval pass once the next check waits for it.
    private func passInterval(_ time: ManualTime, checks: @escaping @Sendable () -> Int) async {
        let before = checks()
        await eventually("a check that waits") { time.waiterCount > 0 }
        time.advance(by: .seconds(61))
        await eventually("the check") { checks() > before }
    }

    @Test(
        "a connection outlives its password by a minute at most, and a store that can't be read takes no password away")
    func changed() async throws {
        let time = ManualTime()
        let answer = Mutex(Answer.right)
        let count = Atomic(0)
        let checks: @Sendable () -> Int = { count.load(ordering: .relaxed) }
        let echo = try await EchoServer.start {
            $0.time = time
            $0.passwordCheck = { _, _ in
                defer { count.add(1, ordering: .relaxed) }
                switch answer.withLock({ $0 }) {
                case .right: return true
                case .wrong: return false
                case .unavailable: throw Unavailable()
                }
            }
        }
        var request = try echo.request()
        request.credentials = try .basic(user: "ana", password: SecretBytes(copying: Array("secret".utf8)))
        let connection = try await request.connection()
        for state in [Answer.right, .unavailable] {
            answer.withLock { $0 = state }
            await passInterval(time, checks: checks)
            try await connection.send([1])
            #expect(try await connection.receive(1) == [[1]])
        }
        answer.withLock { $0 = .wrong }
        await passInterval(time, checks: checks)
        let error = await #expect(throws: TransportError.self) { try await connection.receive(1) }
        #expect(error?.code == .closedByPeer(4_001))
        await echo.stop()
    }

    @Test("a login by Basic authentication with an empty object, or without a body, gets a session as one in JSON does")
    func basicLogin() async throws {
        let echo = try await EchoServer.start {
            $0.sessionLifetime = .seconds(60)
            $0.passwordCheck = { user, password in
                user == "ana" && password.duplicate().isEqual(to: SecretBytes(copying: Array("right".utf8)))
            }
        }
        func answer(_ authorization: String?, _ body: String) async throws -> String? {
            let client = try await RawClient.connect(port: echo.server?.port ?? 0)
            let header = authorization.map { "Authorization: Basic \($0)\r\n" } ?? ""
            try await client.send(
                "POST /db/_session HTTP/1.1\r\nHost: x\r\n\(header)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return await client.untilClosed()
        }
        let (right, wrong) = ("YW5hOnJpZ2h0", "YW5hOm5v")
        for (authorization, body, status) in [
            (right, "{}", "200"), (right, "", "200"), (nil, #"{"name":"ana","password":"right"}"#, "200"),
            (wrong, "{}", "401"), (nil, "{}", "400"), (nil, "", "400"), (right, "[]", "400"), (right, "{", "400"),
            (right, #"{"name":"ana"}"#, "400"), (right, #"{"name":"ana","password":"no"}"#, "401"),
        ] as [(String?, String, String)] {
            let text = try #require(try await answer(authorization, body))
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(body): \(text)")
            #expect(text.contains("SyncGatewaySession=") == (status == "200"))
        }
        let limit = UpgradeRules.bodyLimit
        for (count, message) in [(limit, "A login is JSON"), (limit + 1, "The body has more than \(limit) bytes")] {
            let text = try #require(try await answer(nil, String(repeating: "x", count: count)))
            #expect(text.contains(message))
        }
        await echo.stop()
    }
}
