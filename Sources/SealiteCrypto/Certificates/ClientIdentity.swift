internal import COpenSSL
internal import Glibc

/// A certificate chain with its private key, whose signature was verified with the first certificate.
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
    /// Obsolete encryption (RC2, RC4, DES) is read with OpenSSL's legacy provider, which is loaded for this call only. A
    /// file without a MAC is refused if a passphrase is given and doesn't protect its private key; if none is given, it
    /// is as trustworthy as a PEM file.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - passphrase: the file's passphrase in UTF-8, without NUL; nil for none, which is the same as an empty one.
    ///   - name: the name of the private key, if the file has several with certificates: its friendly name (in Java its
    ///     alias), in any case, or the subject of its certificate in the form of ``subject``.
    /// - Throws: `notPKCS12`, `wrongPassphrase`, `noPrivateKey`, `severalKeys`, `noCertificate`, `mismatch`,
    ///   `badCertificate`, `unsupported`, `tooLarge`, `failed`.
    public init(
        pkcs12 bytes: borrowing SecretBytes, passphrase: borrowing SecretBytes?, name: String? = nil
    ) throws(IdentityError) {
        try self.init(try PKCS12Reader.parts(of: bytes, passphrase, name: name))
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
        try parts.key.checkSignature(with: first)
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

/// A private key, and certificates in any order, from which an identity is made.
struct IdentityParts {
    let key: PrivateKey
    let certificates: [X509Certificate]
    static let maximumCertificateCount = 32

    /// Returns the private key's own certificate, then its issuers in order; certificates outside this chain are left
    /// out. Throws `noCertificate` if there are none, and `mismatch` if none belongs to the key.
    func chain() throws(IdentityError) -> [X509Certificate] {
        guard !certificates.isEmpty else {
            throw IdentityError(.noCertificate, "the identity has a private key, but no certificate")
        }
        guard var last = certificates.first(where: key.fits) else {
            throw IdentityError(
                .mismatch, "the private key belongs to none of the given certificates (\(certificates.count))",
                hint: "give the certificate that was issued for this key")
        }
        var chain = [last]
        // Some programs write a certificate several times.
        while let issuer = certificates.first(where: { next in
            next.isIssuer(of: last) && !chain.contains { $0.isEqual(to: next) }
        }) {
            chain.append(issuer)
            last = issuer
        }
        return chain
    }
}

/// A private key that OpenSSL has parsed.
@safe
final class PrivateKey {
    let pointer: OpaquePointer

    /// Takes ownership of the key, an `EVP_PKEY`, and frees it at the end of the lifetime.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Returns the key as PKCS#8 DER.
    func encoded() throws(IdentityError) -> SecretBytes {
        guard let info = unsafe EVP_PKEY2PKCS8(pointer) else {
            ERR_clear_error()
            throw IdentityError(
                .unsupported, "OpenSSL can't encode a private key of this kind as PKCS#8",
                hint: "use a certificate with an RSA or elliptic-curve key")
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard count > 0 else { throw IdentityError(.failed, "OpenSSL can't encode the private key as PKCS#8") }
        return unsafe SecretBytes(byteCount: Int(count)) { buffer in
            var cursor = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &cursor)
        }
    }

    func isEqual(to other: PrivateKey) -> Bool {
        let isEqual = unsafe EVP_PKEY_eq(pointer, other.pointer) == 1
        ERR_clear_error()
        return isEqual
    }

    /// The greatest size of an RSA or DSA key that is used, in bits: the limit of OpenSSL's public-key operations. The cost
    /// of a signature grows with its third power.
    private static let maximumBitCount = 16_384
    private static let limitedKinds = ["RSA", "RSA-PSS", "DSA"]
    private static let message = Array("Sealite checks that a private key belongs to its certificate".utf8)

    /// Throws `mismatch` if a signature of the key isn't valid with a certificate that it fits. An elliptic-curve key, for
    /// example, states its public part too, which would hide that the private part is damaged.
    func checkSignature(with certificate: X509Certificate) throws(IdentityError) {
        defer { ERR_clear_error() }
        let isLimited = Self.limitedKinds.contains { unsafe EVP_PKEY_is_a(pointer, $0) == 1 }
        let bitCount = unsafe EVP_PKEY_get_bits(pointer)
        guard !isLimited || bitCount <= Self.maximumBitCount else {
            throw IdentityError(
                .unsupported, "the private key has \(bitCount) bits; the limit is \(Self.maximumBitCount)",
                hint: "use a certificate with a smaller key, or an elliptic-curve key")
        }
        guard let signing = unsafe EVP_MD_CTX_new() else { throw Self.noMemory }
        defer { unsafe EVP_MD_CTX_free(signing) }
        var byteCount = 0
        guard unsafe EVP_DigestSignInit_ex(signing, nil, nil, nil, nil, pointer, nil) == 1,
            unsafe EVP_DigestSign(signing, nil, &byteCount, Self.message, Self.message.count) == 1
        else {
            throw IdentityError(
                .unsupported, "the private key can't sign with this OpenSSL",
                hint: "use a certificate with an RSA or elliptic-curve key")
        }
        var signature = [UInt8](repeating: 0, count: byteCount)
        guard let verifying = unsafe EVP_MD_CTX_new() else { throw Self.noMemory }
        defer { unsafe EVP_MD_CTX_free(verifying) }
        guard unsafe EVP_DigestSign(signing, &signature, &byteCount, Self.message, Self.message.count) == 1,
            unsafe EVP_DigestVerifyInit_ex(
                verifying, nil, nil, nil, nil, X509_get0_pubkey(certificate.pointer), nil) == 1,
            unsafe EVP_DigestVerify(verifying, signature, byteCount, Self.message, Self.message.count) == 1
        else {
            throw IdentityError(
                .mismatch, "the private key is damaged: its signature isn't valid with its certificate",
                hint: "export the identity again")
        }
    }

    private static var noMemory: IdentityError { IdentityError(.failed, "OpenSSL has no memory for a signature") }

    func fits(_ certificate: X509Certificate) -> Bool {
        let fits = unsafe X509_check_private_key(certificate.pointer, pointer) == 1
        ERR_clear_error()
        return fits
    }
}

/// The reason why certificates and a private key can't be used as a client identity. No error contains key material or
/// a passphrase.
public struct IdentityError: SealiteError, Equatable, Sendable {
    /// The kind of a failure, for programs. The raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes aren't PKCS#12.
        case notPKCS12 = "not-pkcs12"
        /// The PEM text contains a damaged certificate, or a private key that is damaged or of an unknown kind.
        case notPEM = "not-pem"
        /// The passphrase is wrong or missing, or protects nothing in a file without a MAC, or the encrypted content can't
        /// be decrypted for a reason that looks the same, such as damage.
        case wrongPassphrase = "wrong-passphrase"
        /// There is no private key.
        case noPrivateKey = "no-private-key"
        /// There are several private keys, of which none was named.
        case severalKeys = "several-keys"
        /// There is no certificate.
        case noCertificate = "no-certificate"
        /// No certificate belongs to the private key.
        case mismatch
        /// A certificate's validity can't be read.
        case badCertificate = "bad-certificate"
        /// The certificate's validity has ended.
        case expired
        /// The certificate's validity hasn't started.
        case notYetValid = "not-yet-valid"
        /// The file is encrypted in a way that this OpenSSL doesn't support or at too high a cost, or its private key
        /// can't be encoded.
        case unsupported
        /// The file is longer than ``ClientIdentity/maximumByteCount``, or has more certificates than an identity may
        /// have.
        case tooLarge = "too-large"
        /// OpenSSL failed unexpectedly.
        case failed
    }

    /// The kind of the failure, for programs; the only part that `==` compares.
    public let code: Code
    /// A sentence about the failure, for people.
    public let reason: String
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
    /// The raw value of ``code``, such as `wrong-passphrase`.
    public var identifier: String { code.rawValue }
    /// The next step for the user to take; nil if none is known.
    public let hint: String?

    init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
