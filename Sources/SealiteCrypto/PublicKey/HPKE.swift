/// HPKE (RFC 9180) in base and PSK mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM: seals messages to
/// a public key.
///
/// Base mode doesn't authenticate the sender: anyone with the public key can seal a message. In PSK mode the sender
/// also needs a key that both sides know beforehand (``PreSharedKey``).
public enum HPKE {
    /// The length of private and public keys and of encapsulated keys, in bytes.
    public static let keyByteCount = 32

    /// The key that sender and recipient share in PSK mode, RFC 9180 §5.1.2.
    public struct PreSharedKey: ~Copyable, Sendable {
        let key: SecretBytes
        let identifier: [UInt8]

        /// Creates a pre-shared key.
        ///
        /// - Parameters:
        ///   - key: at least 32 bytes that others can't guess: RFC 9180 §9.5 requires 32 bytes of entropy.
        ///   - identifier: the name of the key; it isn't secret, and isn't empty.
        /// - Throws: `invalidKey` for a shorter key or an empty identifier.
        public init(_ key: consuming SecretBytes, identifier: [UInt8]) throws(CryptoError) {
            guard key.byteCount >= 32, !identifier.isEmpty else {
                throw CryptoError(
                    .invalidKey, "a pre-shared key of HPKE has at least 32 bytes and an identifier that isn't empty")
            }
            self.key = key
            self.identifier = identifier
        }
    }

    /// A private key and its public key.
    public struct KeyPair: ~Copyable, Sendable {
        /// The private key, 32 bytes.
        public let privateKey: SecretBytes
        /// The public key, 32 bytes.
        public let publicKey: [UInt8]

        /// Creates a random key pair.
        ///
        /// - Throws: `randomUnavailable`, `openSSLFailure`.
        public init() throws(CryptoError) {
            try self.init(privateKey: SecretBytes.random(byteCount: HPKE.keyByteCount))
        }

        /// Creates the key pair of a private key.
        ///
        /// - Throws: `invalidKey`, `openSSLFailure`.
        public init(privateKey: consuming SecretBytes) throws(CryptoError) {
            publicKey = try X25519.publicKey(for: privateKey)
            self.privateKey = privateKey
        }
    }

    /// Returns a new random key pair.
    ///
    /// - Throws: `randomUnavailable`, `openSSLFailure`.
    public static func generateKeyPair() throws(CryptoError) -> KeyPair {
        try KeyPair()
    }

    /// Returns the 32-byte public key of a private key.
    ///
    /// - Throws: `invalidKey`, `openSSLFailure`.
    public static func publicKey(for privateKey: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
        try X25519.publicKey(for: privateKey)
    }

    /// Seals one secret to a public key. Safe from any thread.
    ///
    /// - Parameters:
    ///   - secret: the message.
    ///   - publicKey: the recipient's public key, 32 bytes.
    ///   - info: the purpose of the exchange.
    ///   - associatedData: data that is authenticated, not encrypted.
    /// - Returns: the 32-byte encapsulated key, and ciphertext ‖ tag.
    /// - Throws: `invalidKey`, `invalidLength` for a message near 2 GiB, `randomUnavailable`, `openSSLFailure`.
    public static func seal(
        _ secret: borrowing SecretBytes, to publicKey: [UInt8], info: [UInt8], associatedData: [UInt8]
    ) throws(CryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        var sender = try Sender(to: publicKey, info: info)
        let ciphertext = try unsafe sender.seal(
            secret.buffer, associatedData: associatedData)
        return (sender.encapsulatedKey, ciphertext)
    }

    /// Opens a message that ``seal(_:to:info:associatedData:)`` sealed. Safe from any thread.
    ///
    /// - Parameters:
    ///   - ciphertext: ciphertext ‖ tag.
    ///   - encapsulatedKey: 32 bytes.
    ///   - privateKey: the recipient's private key, 32 bytes.
    ///   - info: the purpose that was given for sealing.
    ///   - associatedData: the associated data that was given for sealing.
    /// - Returns: the message.
    /// - Throws: `authenticationFailed` if the key, the purpose or the associated data is wrong or the message was
    ///   altered; `invalidKey`, `invalidLength`, `openSSLFailure`.
    public static func open(
        _ ciphertext: [UInt8], encapsulatedKey: [UInt8], privateKey: borrowing SecretBytes, info: [UInt8],
        associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        var recipient = try Recipient(privateKey: privateKey, encapsulatedKey: encapsulatedKey, info: info)
        return try recipient.open(ciphertext, associatedData: associatedData)
    }
}
