/// What went wrong in a cryptographic operation.
///
/// Two errors are equal when their codes are; the reason is for people and may change. No error carries key material,
/// plaintext or a passphrase.
public struct CryptoError: Error, Equatable, Sendable {
    /// The classes of failure that a caller can act on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Backing: String {
            case openSSLFailure, invalidLength, invalidKey, costRefused
            case outOfMemory, authenticationFailed, randomUnavailable
        }

        private let backing: Backing

        /// A call to OpenSSL failed where it never should; ``CryptoError/openSSLReasons`` says more.
        public static let openSSLFailure = Self(backing: .openSSLFailure)
        /// A key, nonce, tag, salt, message or output has a length that the algorithm does not take.
        public static let invalidLength = Self(backing: .invalidLength)
        /// A key is malformed, of the wrong kind, or was wiped.
        public static let invalidKey = Self(backing: .invalidKey)
        /// The cost of a key derivation is out of bounds; nothing was allocated.
        public static let costRefused = Self(backing: .costRefused)
        /// Memory for the operation could not be had.
        public static let outOfMemory = Self(backing: .outOfMemory)
        /// The tag does not fit: wrong key, wrong associated data, or altered ciphertext.
        public static let authenticationFailed = Self(backing: .authenticationFailed)
        /// The system gave no random bytes.
        public static let randomUnavailable = Self(backing: .randomUnavailable)

        /// The code's name, stable, for logs and machine-readable output.
        public var description: String { backing.rawValue }
    }

    /// The class of the failure.
    public let code: Code
    /// What failed and why, for people.
    public let reason: String
    /// What OpenSSL's error queue of this thread held, oldest first; empty where OpenSSL was not involved.
    public let openSSLReasons: [String]

    package init(_ code: Code, _ reason: String, openSSLReasons: [String] = []) {
        self.code = code
        self.reason = reason
        self.openSSLReasons = openSSLReasons
    }

    /// Errors are equal when their codes are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
}

extension CryptoError: CustomStringConvertible {
    /// The reason, and what OpenSSL said in brackets.
    public var description: String {
        openSSLReasons.isEmpty ? reason : "\(reason) (OpenSSL: \(openSSLReasons.joined(separator: "; ")))"
    }
}
