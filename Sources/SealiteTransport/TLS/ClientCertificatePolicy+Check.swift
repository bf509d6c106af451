internal import SealiteCredentials
internal import NIOCore
internal import NIOSSL
internal import SealiteCrypto

extension ClientCertificatePolicy {
    /// The issuers, as X.509 DER, that the server names when it requests a client certificate; empty if it names none,
    /// nil if it requests no certificate.
    var announcedRoots: [[UInt8]]? {
        switch self {
        case .notAsked: nil
        case .issued(let roots): roots
        case .accepted: []
        }
    }

    /// Returns whether the policy accepts a client's chain.
    func accepts(_ chain: [[UInt8]]) async -> Bool {
        switch self {
        case .notAsked: return true
        case .accepted(let check):
            guard !chain.isEmpty else { return false }
            return await check(chain)
        case .issued(let roots):
            do {
                try CertificateVerification.check(chain, trust: .only(roots), role: .client)
                return true
            } catch {
                return false
            }
        }
    }

    /// Creates the TLS handler for a connection that a server has accepted. Unless the policy is `notAsked`, the
    /// handler stores the client's certificates in the record and checks them.
    func makeHandler(_ context: NIOSSLContext, record: HandshakeRecord) -> NIOSSLServerHandler {
        if case .notAsked = self { return NIOSSLServerHandler(context: context) }
        return NIOSSLServerHandler(context: context) { certificates, promise in
            let chain = certificates.compactMap { try? $0.toDERBytes() }
            record.certificates = chain
            Task { promise.succeed(await accepts(chain) ? .certificateVerified : .failed) }
        }
    }
}
