internal import COpenSSL

/// A certificate chain with its private key, which was checked to match the first certificate.
public struct ClientIdentity: ~Copyable, Sendable {
    /// The certificates as X.509 DER: the key's own certificate first, then its issuers in order, as far as they were
    /// given. Other given certificates are left out.
    public let certificates: [[UInt8]]
    /// The private key as PKCS#8 DER, not encrypted.
    public let privateKey: SecretBytes
    /// The subject of the first certificate in OpenSSL's one-line form, such as `/CN=client`, for people.
    public let subject: String
    /// The start of the first certificate's validity, in seconds since 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The end of the first certificate's validity, in seconds since 1970-01-01T00:00:00Z.
    public let notAfter: Int64

    /// The maximum length of a PKCS#12 file or PEM text that is read, in bytes: 1 MiB.
    public static let maximumByteCount = 1 << 20

    /// Reads a PKCS#12 file (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - passphrase: the file's passphrase in UTF-8, without NUL; nil for none.
    /// - Throws: `notPKCS12`, `wrongPassphrase`, `noPrivateKey`, `noCertificate`, `mismatch`, `badCertificate`,
    ///   `unsupported`, `tooLarge`, `failed`.
    public init(pkcs12 bytes: borrowing SecretBytes, passphrase: borrowing SecretBytes?) throws(IdentityError) {
        try self.init(try PKCS12Reader.parts(of: bytes, passphrase))
    }

    /// Reads certificates and a private key in PEM; both may be in one file.
    ///
    /// - Parameters:
    ///   - certificates: text with one or more `CERTIFICATE` blocks, in any order.
    ///   - privateKey: text with a private key, encrypted or not.
    ///   - passphrase: the passphrase of an encrypted key, in UTF-8, without NUL; nil for none.
    /// - Throws: `notPEM`, `wrongPassphrase`, `noPrivateKey`, `noCertificate`, `mismatch`, `badCertificate`,
    ///   `unsupported`, `tooLarge`, `failed`.
    public init(
        pemCertificates certificates: borrowing SecretBytes, pemPrivateKey privateKey: borrowing SecretBytes,
        passphrase: borrowing SecretBytes?
    ) throws(IdentityError) {
        let key = try PEMReader.privateKey(of: privateKey, passphrase)
        try self.init(IdentityParts(key: key, certificates: try PEMReader.certificates(of: certificates)))
    }

    /// Returns the certificates of a PEM text as X.509 DER, in the text's order. They need no private key: they may be
    /// trusted issuers, for example.
    ///
    /// - Throws: `notPEM`, `noCertificate`, `tooLarge`, `failed`.
    public static func certificates(pem: borrowing SecretBytes) throws(IdentityError) -> [[UInt8]] {
        try PEMReader.certificates(of: pem).map { (certificate) throws(IdentityError) in try certificate.encoded() }
    }

    private init(_ parts: IdentityParts) throws(IdentityError) {
        let chain = try parts.chain()
        guard let first = chain.first else {
            throw IdentityError(.noCertificate, "the identity has a private key, but no certificate")
        }
        let encoded = try chain.map { (certificate) throws(IdentityError) in try certificate.encoded() }
        let (start, end) = (try first.notBefore(), try first.notAfter())
        // Nothing throws after the first assignment.
        privateKey = try parts.key.encoded()
        certificates = encoded
        subject = first.subject
        notBefore = start
        notAfter = end
    }

    /// Throws if the first certificate isn't valid at `time`, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// - Throws: `expired`, `notYetValid`.
    public borrowing func requireValid(at time: Int64) throws(IdentityError) {
        guard time <= notAfter else {
            throw IdentityError(
                .expired, "the certificate of \"\(subject)\" expired", hint: "ask its issuer for a new one")
        }
        guard time >= notBefore else {
            throw IdentityError(
                .notYetValid, "the certificate of \"\(subject)\" isn't valid yet", hint: "check this machine's clock")
        }
    }
}
