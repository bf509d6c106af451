import SealiteCrypto
import SealiteEndpoints
import SealiteTransportTestSupport
import Testing

@testable import SealiteTransport

@Suite("Server trust, over TLS", .takesSocketTurn)
struct ServerTrustTests {
    /// Dials a server that presents a certificate; nil if the connection came about.
    private func dial(
        _ name: String, with issuers: [String] = ["intermediate"], trust: ServerTrust, host: String = "localhost"
    ) async throws -> TransportError? {
        let identity = try TestCertificates.identity(name, with: issuers)
        let echo = try await EchoServer.start { $0.identity = identity }
        var request = try echo.request(tls: true, host: host)
        request.trust = trust
        let error = await request.failure()
        await echo.stop()
        // Whatever is wrong with it, people can look at it.
        if let error { #expect(error.serverCertificates == identity.certificates) }
        return error
    }

    private func root() throws -> ServerTrust { .system(additionalRoots: [try TestCertificates.certificate("root")]) }

    @Test(
        "each fault of a certificate is told apart",
        arguments: [
            ("server", nil), ("expired", .certificateExpired), ("not-yet", .certificateNotYetValid),
            ("wrong-host", .wrongHost),
            ("for-clients-only", .certificateUntrusted),
        ] as [(String, TransportError.Code?)])
    func faults(_ name: String, _ expected: TransportError.Code?) async throws {
        let error = try await dial(name, trust: root())
        #expect(error?.code == expected, "\(error.map { "\($0)" } ?? "accepted")")
    }

    @Test("an unknown issuer, a missing intermediate and a self-signed certificate come from no trusted issuer")
    func unknownIssuer() async throws {
        #expect(try await dial("server", trust: .system())?.code == .unknownIssuer)
        #expect(try await dial("server", with: [], trust: root())?.code == .unknownIssuer)
        #expect(try await dial("self-signed", with: [], trust: root())?.code == .unknownIssuer)
        #expect(try await dial("server", with: ["intermediate", "root"], trust: .system())?.code == .unknownIssuer)
    }

    @Test("who is no authority can't issue")
    func noAuthority() async throws {
        #expect(try await dial("by-no-authority", with: ["server", "intermediate"], trust: root()) != nil)
    }

    @Test("an address is compared as an address", arguments: ["127.0.0.1", "localhost"])
    func addresses(_ host: String) async throws {
        #expect(try await dial("server", trust: root(), host: host) == nil)
        #expect(try await dial("wrong-host", trust: root(), host: host)?.code == .wrongHost)
    }

    @Test("a pinned leaf is enough, whatever its name, its date and its issuer")
    func pinnedLeaf() async throws {
        for name in ["server", "wrong-host", "expired", "self-signed"] {
            let pin = ServerTrust.Pin.certificate(try TestCertificates.certificate(name))
            #expect(try await dial(name, with: [], trust: .pinned([pin])) == nil, "\(name)")
        }
    }

    @Test("a pinned issuer counts for what it issued, for this host")
    func pinnedIssuer() async throws {
        for name in ["intermediate", "root"] {
            let trust = ServerTrust.pinned([.certificate(try TestCertificates.certificate(name))])
            #expect(try await dial("server", trust: trust) == nil)
            #expect(try await dial("wrong-host", trust: trust)?.code == .wrongHost)
            #expect(try await dial("expired", trust: trust)?.code == .certificateExpired)
        }
    }

    @Test("a pinned issuer in the chain of a certificate that it did not issue counts for nothing")
    func borrowedIssuer() async throws {
        let pin = ServerTrust.Pin.certificate(try TestCertificates.certificate("root"))
        for issuers in [["root"], ["intermediate", "root"]] {
            let error = try await dial("self-signed", with: issuers, trust: .pinned([pin]))
            #expect(error?.code == .pinMismatch)
        }
        let digest = try CertificateVerification.publicKeyDigest(of: TestCertificates.certificate("root"))
        #expect(
            try await dial("self-signed", with: ["root"], trust: .pinned([.publicKeyDigest(digest)]))?.code
                == .pinMismatch)
    }

    @Test("a pinned public key outlives a renewal, and a second pin a rotation")
    func rotation() async throws {
        let digest = try CertificateVerification.publicKeyDigest(of: TestCertificates.certificate("server"))
        let key = ServerTrust.pinned([.publicKeyDigest(digest)])
        #expect(try await dial("server", trust: key) == nil)
        #expect(try await dial("server-renewed", trust: key) == nil)
        #expect(try await dial("server-next", trust: key)?.code == .pinMismatch)
        let both = ServerTrust.pinned([
            .certificate(try TestCertificates.certificate("server")),
            .certificate(try TestCertificates.certificate("server-next")),
        ])
        #expect(try await dial("server", trust: both) == nil)
        #expect(try await dial("server-next", trust: both) == nil)
        #expect(try await dial("server-renewed", trust: both)?.code == .pinMismatch)
        #expect(try await dial("server", trust: .pinned([]))?.code == .pinMismatch)
    }

    @Test("a root or pin of this side that is no certificate isn't taken for a fault of the server")
    func malformedTrust() async throws {
        for trust in [ServerTrust.system(additionalRoots: [[1, 2, 3]]), .pinned([.certificate([1, 2, 3])])] {
            #expect(try await dial("server", trust: trust)?.code == .badIdentity)
        }
    }

    @Test("only self-signed takes one certificate that signed itself and is valid")
    func selfSigned() async throws {
        #expect(try await dial("self-signed", with: [], trust: .selfSigned) == nil)
        #expect(try await dial("self-signed-expired", with: [], trust: .selfSigned)?.code == .certificateExpired)
        #expect(try await dial("server", with: [], trust: .selfSigned)?.code == .notSelfSigned)
        #expect(try await dial("server", trust: .selfSigned)?.code == .notSelfSigned)
        #expect(try await dial("self-signed", with: ["root"], trust: .selfSigned)?.code == .notSelfSigned)
    }

    @Test("a peer without TLS is said to be one")
    func noTLS() async throws {
        let echo = try await EchoServer.start()
        #expect(await (try echo.request(tls: true)).failure()?.code == .tlsFailed)
        await echo.stop()
    }
}
