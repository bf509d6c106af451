internal import SealiteCredentials
internal import NIOCore
internal import NIOSSL
internal import SealiteCrypto

extension ClientCertificatePolicy {
    /// The issuers named in the request for a certificate; nil if none is requested.
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

    /// Creates the TLS handler of one connection.
    func makeHandler(_ context: NIOSSLContext, record: HandshakeRecord) -> NIOSSLServerHandler {
        if case .notAsked = self { return NIOSSLServerHandler(context: context) }
        return NIOSSLServerHandler(context: context) { certificates, promise in
            let chain = certificates.compactMap { try? $0.toDERBytes() }
            record.certificates = chain
            Task { promise.succeed(await accepts(chain) ? .certificateVerified : .failed) }
        }
    }
}
