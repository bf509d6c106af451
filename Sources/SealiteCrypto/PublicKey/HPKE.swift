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

extension HPKE {
    /// HKDF-SHA256 with the labels of RFC 9180 §4.
    struct LabeledHKDF {
        /// The suite identifier (`suite_id` of RFC 9180), which is part of each label.
        let suite: [UInt8]

        /// The labels of DHKEM(X25519, HKDF-SHA256): "KEM" and its number.
        static let kem = LabeledHKDF(suite: Array("KEM".utf8) + [0x00, 0x20])
        /// The labels of HPKE: "HPKE" and the numbers of DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM.
        static let hpke = LabeledHKDF(suite: Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x02])

        func extract(
            salt: UnsafeRawBufferPointer, _ label: String, _ key: UnsafeRawBufferPointer
        ) throws(CryptoError) -> SecretBytes {
            let prefix = Array("HPKE-v1".utf8) + suite + Array(label.utf8)
            let labeled = unsafe SecretBytes(byteCount: prefix.count + key.count) { bytes in
                unsafe bytes.copyBytes(from: prefix)
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[prefix.count...]).copyMemory(from: key)
            }
            return try unsafe HashFunction.sha256.hkdf(.extract, key: labeled, salt: salt, info: [], byteCount: 32)
        }

        func expand(
            _ key: borrowing SecretBytes, _ label: String, _ info: [UInt8], byteCount: Int
        ) throws(CryptoError) -> SecretBytes {
            let length = [UInt8(truncatingIfNeeded: byteCount >> 8), UInt8(truncatingIfNeeded: byteCount)]
            let labeled = length + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
            return try unsafe HashFunction.sha256.hkdf(
                .expand, key: key, salt: UnsafeRawBufferPointer(start: nil, count: 0), info: labeled,
                byteCount: byteCount)
        }
    }

    /// DHKEM(X25519, HKDF-SHA256), RFC 9180 §4.1.
    enum DHKEM {
        static func sharedSecret(
            _ privateKey: borrowing SecretBytes, _ publicKey: [UInt8], encapsulatedKey: [UInt8], recipientKey: [UInt8]
        ) throws(CryptoError) -> SecretBytes {
            let secret = try X25519.sharedSecret(privateKey, publicKey)
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            let key = try unsafe LabeledHKDF.kem.extract(salt: none, "eae_prk", secret.buffer)
            return try LabeledHKDF.kem.expand(key, "shared_secret", encapsulatedKey + recipientKey, byteCount: 32)
        }
    }

    /// The key schedule of either side of an exchange, RFC 9180 §5.1 and §5.2.
    struct KeySchedule: ~Copyable, Sendable {
        let key: SecretBytes
        /// The base nonce. It isn't secret, but must differ between exchanges.
        private let baseNonce: [UInt8]
        private let exporterSecret: SecretBytes
        var sequenceNumber: UInt64 = 0

        /// Creates the key schedule of base mode.
        init(sharedSecret: borrowing SecretBytes, info: [UInt8]) throws(CryptoError) {
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            let secret = try unsafe LabeledHKDF.hpke.extract(salt: sharedSecret.buffer, "secret", none)
            try self.init(secret: secret, mode: 0, identifier: [], info: info)
        }

        /// Creates the key schedule of PSK mode.
        init(
            sharedSecret: borrowing SecretBytes, info: [UInt8], preSharedKey: borrowing PreSharedKey
        ) throws(CryptoError) {
            let secret = try unsafe LabeledHKDF.hpke.extract(
                salt: sharedSecret.buffer, "secret", preSharedKey.key.buffer)
            try self.init(secret: secret, mode: 1, identifier: preSharedKey.identifier, info: info)
        }

        private init(
            secret: borrowing SecretBytes, mode: UInt8, identifier: [UInt8], info: [UInt8]
        ) throws(CryptoError) {
            let labeled = LabeledHKDF.hpke
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            let identifierHash = try unsafe identifier.span.bytes.withUnsafeBytes { identifier throws(CryptoError) in
                try unsafe labeled.extract(salt: none, "psk_id_hash", identifier)
            }
            let infoHash = try unsafe info.span.bytes.withUnsafeBytes { info throws(CryptoError) in
                try unsafe labeled.extract(salt: none, "info_hash", info)
            }
            let context = unsafe [mode] + Array(identifierHash.buffer) + Array(infoHash.buffer)
            let key = try labeled.expand(secret, "key", context, byteCount: AESGCM.keyByteCount)
            let nonce = try labeled.expand(secret, "base_nonce", context, byteCount: AESGCM.nonceByteCount)
            let exporterSecret = try labeled.expand(secret, "exp", context, byteCount: 32)
            unsafe baseNonce = Array(nonce.buffer)
            self.key = key
            self.exporterSecret = exporterSecret
        }

        /// The nonce of the next message: the base nonce ⊕ the sequence number.
        var nonce: [UInt8] {
            var nonce = baseNonce
            for index in 0..<8 {
                nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: sequenceNumber >> (8 * UInt64(index)))
            }
            return nonce
        }

        func export(context: [UInt8], byteCount: Int) throws(CryptoError) -> SecretBytes {
            guard context.count <= 1024 else {
                throw CryptoError(.invalidLength, "an HPKE exporter context has up to 1024 bytes, not \(context.count)")
            }
            return try LabeledHKDF.hpke.expand(exporterSecret, "sec", context, byteCount: byteCount)
        }
    }
}

extension HPKE {
    /// The sender's side of an exchange: seals messages one after another, and exports secrets.
    public struct Sender: ~Copyable, Sendable {
        /// The encapsulated key, with which the recipient sets up its side: 32 bytes.
        public let encapsulatedKey: [UInt8]
        private var schedule: KeySchedule

        /// Sets up an exchange with a new ephemeral key.
        ///
        /// - Parameters:
        ///   - publicKey: the recipient's public key, 32 bytes.
        ///   - info: the purpose of the exchange.
        /// - Throws: `invalidKey`, `randomUnavailable`, `openSSLFailure`.
        public init(to publicKey: [UInt8], info: [UInt8]) throws(CryptoError) {
            try self.init(to: publicKey, info: info, ephemeralKey: .random(byteCount: HPKE.keyByteCount))
        }

        /// Sets up an exchange in PSK mode with a new ephemeral key.
        ///
        /// - Parameters:
        ///   - publicKey: the recipient's public key, 32 bytes.
        ///   - info: the purpose of the exchange.
        ///   - preSharedKey: the key that proves to the recipient that the sender has it too.
        /// - Throws: `invalidKey`, `randomUnavailable`, `openSSLFailure`.
        public init(
            to publicKey: [UInt8], info: [UInt8], preSharedKey: borrowing PreSharedKey
        ) throws(CryptoError) {
            try self.init(
                to: publicKey, info: info, preSharedKey: preSharedKey,
                ephemeralKey: .random(byteCount: HPKE.keyByteCount))
        }

        /// Sets up an exchange in base mode with the caller's ephemeral private key, which the test vectors of RFC 9180
        /// prescribe.
        package init(
            to publicKey: [UInt8], info: [UInt8], ephemeralKey: consuming SecretBytes
        ) throws(CryptoError) {
            let encapsulatedKey = try X25519.publicKey(for: ephemeralKey)
            let shared = try DHKEM.sharedSecret(
                ephemeralKey, publicKey, encapsulatedKey: encapsulatedKey, recipientKey: publicKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info)
            self.encapsulatedKey = encapsulatedKey
        }

        /// Sets up an exchange in PSK mode with the caller's ephemeral private key, which the test vectors of RFC 9180
        /// prescribe.
        package init(
            to publicKey: [UInt8], info: [UInt8], preSharedKey: borrowing PreSharedKey,
            ephemeralKey: consuming SecretBytes
        ) throws(CryptoError) {
            let encapsulatedKey = try X25519.publicKey(for: ephemeralKey)
            let shared = try DHKEM.sharedSecret(
                ephemeralKey, publicKey, encapsulatedKey: encapsulatedKey, recipientKey: publicKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info, preSharedKey: preSharedKey)
            self.encapsulatedKey = encapsulatedKey
        }

        /// Seals the next message.
        ///
        /// - Returns: ciphertext ‖ tag.
        /// - Throws: `openSSLFailure`, `invalidLength` for a message near 2 GiB.
        public mutating func seal(
            _ plaintext: UnsafeRawBufferPointer, associatedData: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            let box = try unsafe AESGCM.seal(
                plaintext, key: schedule.key, nonce: schedule.nonce, associatedData: associatedData)
            schedule.sequenceNumber += 1
            return box.ciphertext + box.tag
        }

        /// Returns a secret that only the two sides have.
        ///
        /// - Parameters:
        ///   - context: the purpose of the secret, up to 1024 bytes.
        ///   - byteCount: the length of the secret, 1 to 8160 bytes.
        /// - Returns: the secret.
        /// - Throws: `invalidLength`, `openSSLFailure`.
        public func export(context: [UInt8], byteCount: Int) throws(CryptoError) -> SecretBytes {
            try schedule.export(context: context, byteCount: byteCount)
        }
    }
}

extension HPKE {
    /// The recipient's side of an exchange: opens messages in their order, and exports secrets.
    public struct Recipient: ~Copyable, Sendable {
        private var schedule: KeySchedule

        /// Sets up the exchange that a sender started.
        ///
        /// - Parameters:
        ///   - privateKey: 32 bytes.
        ///   - encapsulatedKey: the sender's encapsulated key, 32 bytes.
        ///   - info: the purpose of the exchange that the sender used.
        /// - Throws: `invalidKey`, `openSSLFailure`.
        public init(
            privateKey: borrowing SecretBytes, encapsulatedKey: [UInt8], info: [UInt8]
        ) throws(CryptoError) {
            let shared = try Self.sharedSecret(privateKey, encapsulatedKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info)
        }

        /// Sets up the exchange that a sender started in PSK mode. With another pre-shared key every message is
        /// refused.
        ///
        /// - Parameters:
        ///   - privateKey: 32 bytes.
        ///   - encapsulatedKey: the sender's encapsulated key, 32 bytes.
        ///   - info: the purpose of the exchange that the sender used.
        ///   - preSharedKey: the key that the sender must have.
        /// - Throws: `invalidKey`, `openSSLFailure`.
        public init(
            privateKey: borrowing SecretBytes, encapsulatedKey: [UInt8], info: [UInt8],
            preSharedKey: borrowing PreSharedKey
        ) throws(CryptoError) {
            let shared = try Self.sharedSecret(privateKey, encapsulatedKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info, preSharedKey: preSharedKey)
        }

        private static func sharedSecret(
            _ privateKey: borrowing SecretBytes, _ encapsulatedKey: [UInt8]
        ) throws(CryptoError) -> SecretBytes {
            try DHKEM.sharedSecret(
                privateKey, encapsulatedKey, encapsulatedKey: encapsulatedKey,
                recipientKey: try X25519.publicKey(for: privateKey))
        }

        /// Opens the next message. A refused message doesn't advance the sequence number.
        ///
        /// - Returns: the message.
        /// - Throws: `authenticationFailed`, `invalidLength` if the bytes are shorter than a tag, `openSSLFailure`.
        public mutating func open(
            _ ciphertext: [UInt8], associatedData: [UInt8]
        ) throws(CryptoError) -> SecretBytes {
            let box = SealedBox(
                nonce: schedule.nonce, ciphertext: Array(ciphertext.dropLast(AESGCM.tagByteCount)),
                tag: Array(ciphertext.suffix(AESGCM.tagByteCount)))
            let message = try AESGCM.open(box, key: schedule.key, associatedData: associatedData)
            schedule.sequenceNumber += 1
            return message
        }

        /// Returns a secret that only the two sides have.
        ///
        /// - Parameters:
        ///   - context: the purpose of the secret, up to 1024 bytes.
        ///   - byteCount: the length of the secret, 1 to 8160 bytes.
        /// - Returns: the secret.
        /// - Throws: `invalidLength`, `openSSLFailure`.
        public func export(context: [UInt8], byteCount: Int) throws(CryptoError) -> SecretBytes {
            try schedule.export(context: context, byteCount: byteCount)
        }
    }
}
