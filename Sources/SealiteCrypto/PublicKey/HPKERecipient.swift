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
