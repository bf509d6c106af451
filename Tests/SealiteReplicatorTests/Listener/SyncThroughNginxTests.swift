import SealiteAuthentication
import SealiteCrypto
import SealiteTransportTestSupport
import Testing

@testable import SealiteReplicator

@Suite("Sync through nginx with client certificates", .takesSocketTurn)
struct SyncThroughNginxTests {
    @Test("a replicator goes through it, both ways")
    func replicator() async throws {
        let pair = try await NetworkPair.start { $0.isEncrypted = false }
        let front = try await Nginx(to: pair.listener.port ?? 0, clientRoot: "root")
        for index in 0..<100 {
            try pair.client.save("c\(index)", #"{"n":\#(index)}"#)
            try pair.server.save("s\(index)", #"{"n":\#(index)}"#)
        }
        try pair.client.save("up", attachment: [UInt8](repeating: 7, count: 300_000))
        let replicator = try pair.replicator {
            $0.target = try EndpointURL("wss://localhost:\(front.port)/db")
            $0.networkInterface = "127.0.0.1"
            $0.trust = .system(additionalRoots: [try TestCertificates.certificate("root")])
            $0.authenticator = FixedIdentity(identity: try TestCertificates.identity("client"))
        }
        try await replicator.run()
        #expect(try pair.client.revisions == pair.server.revisions)
        #expect(try pair.client.revisions.count == 201)
        await pair.listener.stop()
    }
}

/// Shows one certificate.
private struct FixedIdentity: Authenticator {
    let identity: TransportIdentity

    func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        HandshakeSecrets(identity: identity)
    }
}
