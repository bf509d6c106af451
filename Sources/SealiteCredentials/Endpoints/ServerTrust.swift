/// The rule by which a client accepts a server's certificate.
public struct ServerTrust: Sendable, Hashable {
    /// The kinds of rules.
    package enum Rule: Sendable, Hashable {
        case system(additionalRoots: [[UInt8]])
        case pinned([Pin])
        case selfSigned
    }

    /// A certificate, or the public key of one.
    public enum Pin: Sendable, Hashable {
        /// A certificate, as X.509 DER: leaf, intermediate or root.
        case certificate([UInt8])
        /// The SHA-256 of a certificate's SubjectPublicKeyInfo, 32 bytes: it outlives renewals that keep the key.
        case publicKeyDigest([UInt8])
    }

    /// The rule; the transport evaluates it.
    package let rule: Rule

    /// Accepts certificates for the host's name that the system's trusted issuers or further ones (X.509 DER) issued.
    public static func system(additionalRoots: [[UInt8]] = []) -> Self {
        Self(rule: .system(additionalRoots: additionalRoots))
    }

    /// Accepts known certificates, and certificates of known issuers. For a pinned leaf neither name nor date nor issuer counts.
    ///
    /// Several pins let a certificate be rotated: one for the certificate that the server has now and one for the next.
    public static func pinned(_ pins: [Pin]) -> Self { Self(rule: .pinned(pins)) }

    /// Accepts any single self-signed certificate, whatever its name: for a peer whose certificate people compare.
    public static var selfSigned: Self { Self(rule: .selfSigned) }
}
