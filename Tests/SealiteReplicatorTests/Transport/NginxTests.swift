import SealiteCrypto
import Testing

@testable import SealiteReplicator

/// TLS that isn't ours: OpenSSL on the other side, with nginx's manner of refusing clients within HTTP.
@Suite("Behind nginx", .enabled(if: Nginx.isInstalled, "nginx is missing: run 'make setup'"))
struct NginxTests {
    private func dial(
        _ echo: EchoServer, _ nginx: Nginx, as client: String?, trust: String = "root"
    ) async throws -> (TransportError?, [[UInt8]]) {
        var request = try UpgradeRequest(to: EndpointURL("wss://localhost:\(nginx.port)/db"))
        request.networkInterface = "127.0.0.1"
        request.trust = .system(additionalRoots: [try TestCertificates.certificate(trust)])
        request.credentials = try .basic(user: "ana", password: SecretBytes(copying: Array("pw".utf8)))
        if let client { request.credentials.identity = try TestCertificates.identity(client) }
        do throws(TransportError) {
            let connection = try await WebSocketDialer().dial(request)
            let frames = [[1, 2, 3], [UInt8](repeating: 7, count: 100_000)]
            try await connection.send(frames)
            let received = (try? await connection.receive(2)) ?? []
            await connection.close(code: 1_000, reason: "")
            return (nil, received == frames ? frames : [])
        } catch {
            return (error, [])
        }
    }

    @Test("a client certificate gets in, none and a wrong one don't, and the password reaches the server behind")
    func mutualTLS() async throws {
        let echo = try await EchoServer.start { $0.passwordCheck = { user, _ in user == "ana" } }
        let nginx = try Nginx(before: echo.server?.port ?? 0, clientRoot: "root")
        defer { nginx.stop() }
        try await nginx.ready()
        let (error, received) = try await dial(echo, nginx, as: "client")
        #expect(error == nil)
        #expect(received.count == 2)
        #expect(echo.connections.first?.user == "ana")
        #expect(try await dial(echo, nginx, as: nil).0?.code == .clientCertificateRequired)
        #expect(try await dial(echo, nginx, as: "client-expired").0?.code == .clientCertificateRejected)
        #expect(try await dial(echo, nginx, as: "client-of-other").0?.code == .clientCertificateRejected)
        #expect(try await dial(echo, nginx, as: "client", trust: "other-root").0?.code == .unknownIssuer)
        await echo.stop()
        // Without the server behind it nginx says 502, which passes.
        let gone = try await dial(echo, nginx, as: "client").0
        #expect(gone?.code == .http(502))
        #expect(gone?.recovery == .transient)
    }

    @Test("another root revokes the clients of the old one")
    func revoked() async throws {
        let echo = try await EchoServer.start()
        let nginx = try Nginx(before: echo.server?.port ?? 0, clientRoot: "other-root")
        defer { nginx.stop() }
        try await nginx.ready()
        #expect(try await dial(echo, nginx, as: "client").0?.code == .clientCertificateRejected)
        #expect(try await dial(echo, nginx, as: "client-of-other").0 == nil)
        await echo.stop()
    }
}
