internal import FoundationEssentials
public import SealiteCrypto

/// A certificate chain with its private key, for TLS.
public struct ClientIdentityCredential: ~Copyable, Sendable {
    /// The certificates, each as X.509 DER: the key's own certificate first, then its issuers in order. They aren't
    /// secret.
    public let certificates: [[UInt8]]
    /// The private key, as PKCS#8 DER, not encrypted.
    public let privateKey: SecretBytes

    /// Creates a client identity. Whether the key and the certificate are a pair isn't checked here, but when an
    /// identity is read from a file and in a TLS handshake.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        self.certificates = certificates
        self.privateKey = privateKey
    }
}
