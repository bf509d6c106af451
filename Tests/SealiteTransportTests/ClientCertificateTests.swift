import SealiteCrypto
import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("client certificates, over TLS", .takesSocketTurn)
struct ClientCertificateTests {
    /// Tries to connect, and waits for an echoed message, since with TLS 1.3 the server's decision follows the client's
    /// handshake.
    private func dial(_ policy: ClientCertificatePolicy, as name: String?) async throws -> (
        TransportError?, [ConnectionInfo]
    ) {
        let echo = try await EchoServer.start {
            $0.identity = try? .selfSigned(commonName: "server")
            $0.clientCertificates = policy
        }
        var request = try echo.request(tls: true)
        request.trust = .selfSigned
        if let name { request.credentials.identity = try TestCertificates.identity(name) }
        let error = await request.failure()
        await echo.stop()
        return (error, echo.connections)
    }

    @Test("a certificate of a root gets in; none, an expired one and another root's don't")
    func roots() async throws {
        let policy = ClientCertificatePolicy.issued(by: [try TestCertificates.certificate("root")])
        let (error, connections) = try await dial(policy, as: "client")
        #expect(error == nil)
        #expect(connections.first?.peerCertificates == [try TestCertificates.certificate("client")])
        #expect(try await dial(policy, as: nil).0?.code == .clientCertificateRequired)
        #expect(try await dial(policy, as: "client-expired").0?.code == .clientCertificateRejected)
        #expect(try await dial(policy, as: "client-of-other").0?.code == .clientCertificateRejected)
        // Made for servers only.
        #expect(try await dial(policy, as: "self-signed").0?.code == .clientCertificateRejected)
    }

    @Test("a certificate is revoked by another root, as soon as the server has that")
    func revokedByRoot() async throws {
        let before = ClientCertificatePolicy.issued(by: [try TestCertificates.certificate("root")])
        let after = ClientCertificatePolicy.issued(by: [try TestCertificates.certificate("other-root")])
        #expect(try await dial(before, as: "client").0 == nil)
        #expect(try await dial(after, as: "client").0?.code == .clientCertificateRejected)
        #expect(try await dial(after, as: "client-of-other").0 == nil)
    }

    @Test("a closure decides about the chain")
    func closure() async throws {
        let wanted = try TestCertificates.certificate("client")
        let policy = ClientCertificatePolicy.accepted { $0 == [wanted] }
        #expect(try await dial(policy, as: "client").0 == nil)
        #expect(try await dial(policy, as: "client-of-other").0?.code == .clientCertificateRejected)
        #expect(try await dial(policy, as: nil).0?.code == .clientCertificateRequired)
    }

    @Test("an identity that a server doesn't ask for changes nothing")
    func notAsked() async throws { #expect(try await dial(.notAsked, as: "client").0 == nil) }

    @Test("a key of another certificate is refused before anything is sent")
    func notAPair() async throws {
        let client = try TestCertificates.identity("client")
        let other = try TestCertificates.identity("server")
        var request = try UpgradeRequest(to: EndpointURL("wss://127.0.0.1:1/db"))
        request.credentials.identity = TransportIdentity(
            certificates: client.certificates, privateKey: other.privateKey.duplicate())
        #expect(await request.failure()?.code == .badIdentity)
    }
}
