/// The reason for which certificates and a private key can't be a client identity. No error carries key material or a passphrase.
public struct IdentityError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The fault, for programs. The raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes aren't PKCS#12.
        case notPKCS12 = "not-pkcs12"
        /// There is no such PEM block in the bytes, or it is damaged.
        case notPEM = "not-pem"
        /// The passphrase doesn't open it, or one is needed.
        case wrongPassphrase = "wrong-passphrase"
        /// There is no private key.
        case noPrivateKey = "no-private-key"
        /// There is no certificate.
        case noCertificate = "no-certificate"
        /// No certificate is that of the private key.
        case mismatch
        /// A certificate has something in it that can't be read.
        case badCertificate = "bad-certificate"
        /// The certificate's time is over.
        case expired
        /// The certificate's time hasn't come.
        case notYetValid = "not-yet-valid"
        /// It is encrypted in a way that this OpenSSL doesn't offer.
        case unsupported
        /// There are more certificates than any chain has.
        case tooLarge = "too-large"
        /// OpenSSL failed where it never should.
        case failed
    }

    /// The fault, for programs; the only part that counts in `==`.
    public let code: Code
    /// The fault, for people.
    public let reason: String
    /// The next step, where there is one.
    public let hint: String?

    init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// The reason, and the hint in brackets.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }

    /// Errors are equal when their codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
