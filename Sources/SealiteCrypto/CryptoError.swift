/// An error of a cryptographic operation.
///
/// Two errors are equal if their codes are equal; the reason is for people and may change. No error contains key
/// material, plaintext or a passphrase.
public struct CryptoError: SealiteError, Equatable, Sendable {
    /// The kinds of failure that a caller can act on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Backing: String {
            case openSSLFailure, invalidLength, invalidKey, costRefused
            case outOfMemory, authenticationFailed, randomUnavailable
        }

        private let backing: Backing

        /// A call to OpenSSL failed unexpectedly; ``CryptoError/openSSLReasons`` has details.
        public static let openSSLFailure = Self(backing: .openSSLFailure)
        /// A nonce, a tag, a message, an output or another input except a key has a size that the algorithm doesn't
        /// accept.
        public static let invalidLength = Self(backing: .invalidLength)
        /// A key is malformed, of the wrong length or kind, or was wiped.
        public static let invalidKey = Self(backing: .invalidKey)
        /// The cost of a key derivation is out of bounds; nothing was allocated.
        public static let costRefused = Self(backing: .costRefused)
        /// There is no memory for the operation.
        public static let outOfMemory = Self(backing: .outOfMemory)
        /// The tag is wrong: a wrong key, wrong associated data, or altered ciphertext.
        public static let authenticationFailed = Self(backing: .authenticationFailed)
        /// The system gave no random bytes.
        public static let randomUnavailable = Self(backing: .randomUnavailable)

        /// The code's name, stable, for logs and machine-readable output.
        public var description: String { backing.rawValue }
    }

    /// The kind of the failure.
    public let code: Code
    /// A sentence for people that says what failed and why.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `authentication-failed`.
    public var identifier: String { Self.identifier(of: code) }
    /// OpenSSL's error messages for the failed call, oldest first; empty if OpenSSL wasn't involved.
    public let openSSLReasons: [String]

    package init(_ code: Code, _ reason: String, openSSLReasons: [String] = []) {
        self.code = code
        self.reason = reason
        self.openSSLReasons = openSSLReasons
    }

    /// Returns whether two errors have the same code.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
}

extension CryptoError {
    /// The reason, followed by OpenSSL's messages in parentheses if there are any.
    public var description: String {
        openSSLReasons.isEmpty ? reason : "\(reason) (OpenSSL: \(openSSLReasons.joined(separator: "; ")))"
    }
}
