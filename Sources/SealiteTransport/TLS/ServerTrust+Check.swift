internal import NIOCore
internal import NIOSSL
internal import SealiteCrypto
internal import SealiteEndpoints
internal import Synchronization

extension ServerTrust {
    /// Checks the chain that a server presented, leaf first.
    ///
    /// - Throws: an error that names the fault and has the certificates.
    func check(_ chain: [[UInt8]], host: String) throws(TransportError) {
        do throws(CertificateFault) {
            switch rule {
            case .system(let roots):
                try CertificateVerification.check(
                    chain, trust: .system(additionalRoots: roots), role: .server(host: host.withoutZone))
            case .selfSigned:
                guard chain.count == 1 else { throw CertificateFault.notSelfSigned }
                try CertificateVerification.checkSelfSigned(chain[0])
            case .pinned(let pins):
                try Self.check(chain, against: pins, host: host)
            }
        } catch {
            throw self.error(error, host: host, chain: chain)
        }
    }

    /// Checks a chain against pins. A pinned leaf is enough, since TLS proves that the server has its key. The
    /// certificate of a pinned issuer is public, and anybody can put it into a chain: it counts only if signatures lead
    /// from the leaf to it, and the leaf is for this host.
    private static func check(_ chain: [[UInt8]], against pins: [Pin], host: String) throws(CertificateFault) {
        guard let leaf = chain.first else { throw .malformed }
        // Mostly the pinned key: its digest is known long before OpenSSL has parsed the certificate.
        if let digest = SubjectKey.digest(of: leaf), pins.contains(.publicKeyDigest(digest)) { return }
        if try matches(leaf, pins) { return }
        var anchors = pins.compactMap { pin in
            if case .certificate(let certificate) = pin { certificate } else { nil }
        }
        for certificate in chain.dropFirst().prefix(CertificateVerification.maximumChainCount)
        where try matches(certificate, pins) {
            anchors.append(certificate)
        }
        guard !anchors.isEmpty else { throw .unknownIssuer }
        try CertificateVerification.check(chain, trust: .only(anchors), role: .server(host: host.withoutZone))
    }

    private static func matches(_ certificate: [UInt8], _ pins: [Pin]) throws(CertificateFault) -> Bool {
        let digest = try CertificateVerification.publicKeyDigest(of: certificate)
        return pins.contains { $0 == .certificate(certificate) || $0 == .publicKeyDigest(digest) }
    }

    private static func error(_ fault: CertificateFault, host: String, chain: [[UInt8]], isPinned: Bool)
        -> TransportError
    {
        let server = "the certificate of \(printable(host))"
        var error =
            switch fault {
            case .expired:
                TransportError(.certificateExpired, "\(server), or that of one of its issuers, has expired")
            case .notYetValid:
                TransportError(
                    .certificateNotYetValid,
                    "\(server), or that of one of its issuers, is not valid yet: check the clock of this machine")
            case .wrongHost: TransportError(.wrongHost, "the server's certificate is not for \(printable(host))")
            case .notSelfSigned:
                TransportError(
                    .notSelfSigned,
                    "the trust rule accepts only a single self-signed certificate, and \(printable(host)) presented something else"
                )
            case .unknownIssuer where isPinned:
                TransportError(
                    .pinMismatch, "\(server) matches no pin, and no issuer whose certificate or key is pinned issued it"
                )
            case .unknownIssuer: TransportError(.unknownIssuer, "\(server) comes from no trusted issuer")
            case .malformed:
                TransportError(
                    .certificateUntrusted,
                    "the certificates of \(printable(host)) can't be checked: one of them isn't X.509 in DER, or the "
                        + "server presented none or more than \(CertificateVerification.maximumChainCount)")
            case .malformedTrust:
                TransportError(
                    .badIdentity,
                    "\(server) can't be checked: a root certificate or pin in the trust rule of this side isn't X.509 "
                        + "in DER")
            case .unacceptable(let why): TransportError(.certificateUntrusted, "\(server) is not acceptable: \(why)")
            }
        error.serverCertificates = chain
        return error
    }
}

extension ServerTrust {
    private func error(_ fault: CertificateFault, host: String, chain: [[UInt8]]) -> TransportError {
        if case .pinned = rule { return Self.error(fault, host: host, chain: chain, isPinned: true) }
        return Self.error(fault, host: host, chain: chain, isPinned: false)
    }
}

extension String {
    /// The text without the zone of an IPv6 address, which no certificate names.
    fileprivate var withoutZone: String { String(prefix { $0 != "%" }) }
}

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

/// The peer's certificates in a TLS handshake and the fault found in them, shared by the event loop and the task that
/// checks the certificates. Thread-safe.
final class HandshakeRecord: Sendable {
    private struct State {
        var certificates: [[UInt8]] = []
        var fault: TransportError?
    }
    private let state = Mutex(State())

    /// The peer's certificates, leaf first, whether or not they were accepted.
    var certificates: [[UInt8]] {
        get { state.withLock { $0.certificates } }
        set { state.withLock { $0.certificates = newValue } }
    }

    /// The reason for which the peer's certificates were refused; nil if they were not.
    var fault: TransportError? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }
}
