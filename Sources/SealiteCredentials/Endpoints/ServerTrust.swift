/// The rule by which a client accepts a server's certificate.
public struct ServerTrust: Sendable, Hashable {
    /// The ways to decide whether a server's certificate is accepted.
    package enum Rule: Sendable, Hashable {
        case system(additionalRoots: [[UInt8]])
        case pinned([Pin])
        case selfSigned
    }

    /// A certificate by which a server is trusted, or the public key of such a certificate.
    public enum Pin: Sendable, Hashable {
        /// A certificate, as X.509 DER: the server's own certificate (leaf), or an intermediate or root certificate of
        /// its issuers.
        case certificate([UInt8])
        /// The SHA-256 digest of a certificate's SubjectPublicKeyInfo, 32 bytes. It stays valid across renewals that
        /// keep the key.
        case publicKeyDigest([UInt8])
    }

    /// The rule in the form that the transport module evaluates during the TLS handshake.
    package let rule: Rule

    /// Accepts certificates for the host's name that were issued by the system's trusted issuers or by additional ones
    /// (X.509 DER).
    public static func system(additionalRoots: [[UInt8]] = []) -> Self {
        Self(rule: .system(additionalRoots: additionalRoots))
    }

    /// Accepts a server's certificate (leaf) that is pinned, or that was issued for the host by a pinned issuer and is
    /// currently valid. For a pinned leaf, the name, the dates and the issuer are ignored.
    ///
    /// Several pins allow a certificate to be rotated: one pin for the server's current certificate and one for the
    /// next.
    public static func pinned(_ pins: [Pin]) -> Self { Self(rule: .pinned(pins)) }

    /// Accepts any single self-signed certificate that is currently valid, with any name. Intended for a peer whose
    /// certificate people compare themselves.
    public static var selfSigned: Self { Self(rule: .selfSigned) }
}
