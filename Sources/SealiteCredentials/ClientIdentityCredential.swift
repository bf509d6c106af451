internal import FoundationEssentials
public import SealiteCrypto

/// A certificate chain with its private key, for TLS.
public struct ClientIdentityCredential: ~Copyable, Sendable {
    /// The certificates, each as X.509 DER: the key's own certificate first, then its issuers in order. They aren't
    /// secret.
    public let certificates: [[UInt8]]
    /// The private key, as PKCS#8 DER, not encrypted.
    public let privateKey: SecretBytes

    /// Creates a client identity. Doesn't check whether the key and the certificate are a pair; code that parses the
    /// identity does.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        self.certificates = certificates
        self.privateKey = privateKey
    }
}
