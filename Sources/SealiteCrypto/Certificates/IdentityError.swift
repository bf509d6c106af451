/// The reason why certificates and a private key can't be used as a client identity. No error contains key material or
/// a passphrase.
public struct IdentityError: SealiteError, Equatable, Sendable {
    /// The kind of a failure, for programs. The raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes aren't PKCS#12.
        case notPKCS12 = "not-pkcs12"
        /// The PEM text contains a damaged certificate, or a private key that is damaged or of an unknown kind.
        case notPEM = "not-pem"
        /// The passphrase is wrong or missing, or the encrypted content can't be decrypted for a reason that looks the
        /// same, such as damage.
        case wrongPassphrase = "wrong-passphrase"
        /// There is no private key.
        case noPrivateKey = "no-private-key"
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
