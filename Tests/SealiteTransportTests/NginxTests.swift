import SealiteCrypto
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

/// Checks that nginx, as an independent implementation, accepts the client certificates and forwards the frames.
@Suite("behind nginx with client certificates", .takesSocketTurn, .serialized)
struct NginxTests {
    private func request(_ front: Nginx, as client: String?) throws -> UpgradeRequest {
        var request = try UpgradeRequest(to: EndpointURL("wss://localhost:\(front.port)/db"))
        request.networkInterface = "127.0.0.1"
        request.trust = .system(additionalRoots: [try TestCertificates.certificate("root")])
        if let client { request.credentials.identity = try TestCertificates.identity(client) }
        return request
    }

    @Test(
        "a client certificate gets in and frames go through; none, and another root's, are refused, each in its words")
    func certificates() async throws {
        // Holds the port when the server has left it.
        let held = try HeldPort()
        let target = held.port
        let echo = try await EchoServer.start { $0.port = target }
        let front = try await Nginx(to: target, clientRoot: "root")
        let frames = [1, 125, 126, 65_536, 1 << 20].map { [UInt8](repeating: 0x5A, count: $0) }
        let connection = try await request(front, as: "client").connection()
        let sending = Task { try await connection.send(frames) }
        #expect(try await connection.receive(frames.count) == frames)
        try await sending.value
        #expect(connection.info.peerCertificates.first == (try TestCertificates.certificate("server")))
        await connection.close(code: 1_000, reason: "")

        let missing = await (try request(front, as: nil)).failure()
        #expect(missing?.code == .clientCertificateRequired && missing?.recovery == .permanent)
        for client in ["client-of-other", "client-expired"] {
            let rejected = await (try request(front, as: client)).failure()
            #expect(rejected?.code == .clientCertificateRejected && rejected?.recovery == .permanent, "\(client)")
        }
        // Revoked: the front believes another root from now on.
        try await front.restart(to: target, clientRoot: "other-root")
        #expect(await (try request(front, as: "client")).failure()?.code == .clientCertificateRejected)
        #expect(await (try request(front, as: "client-of-other")).failure() == nil)
        // Without anything behind it the front says so, and that may pass.
        await echo.stop()
        let bad = await (try request(front, as: "client-of-other")).failure()
        #expect(bad?.code == .http(502) && bad?.recovery == .transient)
        withExtendedLifetime(held) {}
    }
}
