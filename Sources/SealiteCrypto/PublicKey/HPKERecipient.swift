extension HPKE {
    /// The recipient's side of an exchange: opens one message after another, in their order, and exports secrets.
    public struct Recipient: ~Copyable, Sendable {
        private var schedule: KeySchedule

        /// Sets up the exchange that a sender started.
        ///
        /// - Parameters:
        ///   - privateKey: 32 bytes.
        ///   - encapsulatedKey: what the sender gave, 32 bytes.
        ///   - info: what the sender said the exchange is for.
        /// - Throws: `invalidKey`, `openSSLFailure`.
        public init(
            privateKey: borrowing SecretBytes, encapsulatedKey: [UInt8], info: [UInt8]
        ) throws(CryptoError) {
            let shared = try Self.sharedSecret(privateKey, encapsulatedKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info)
        }

        /// Sets up the exchange that a sender started in PSK mode. With another pre-shared key every message is refused.
        ///
        /// - Parameters:
        ///   - privateKey: 32 bytes.
        ///   - encapsulatedKey: what the sender gave, 32 bytes.
        ///   - info: what the sender said the exchange is for.
        ///   - preSharedKey: the key that the sender has to have.
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

        /// Opens the next message. One that is refused does not count.
        ///
        /// - Returns: the message.
        /// - Throws: `authenticationFailed`, `invalidLength` when there is no room for a tag, `openSSLFailure`.
        public mutating func open(
            _ ciphertext: [UInt8], associatedData: [UInt8]
        ) throws(CryptoError) -> SecretBytes {
            let box = try SealedBox(combined: schedule.nonce + ciphertext, nonceByteCount: AESGCM.nonceByteCount)
            let message = try AESGCM.open(box, key: schedule.key, associatedData: associatedData)
            schedule.sequenceNumber += 1
            return message
        }

        /// A secret that both sides have, and nobody else.
        ///
        /// - Parameters:
        ///   - context: what the secret is for, up to 1024 bytes.
        ///   - byteCount: the length of the secret, 1 to 8160 bytes.
        /// - Returns: the secret.
        /// - Throws: `invalidLength`, `openSSLFailure`.
        public func export(context: [UInt8], byteCount: Int) throws(CryptoError) -> SecretBytes {
            try schedule.export(context: context, byteCount: byteCount)
        }
    }
}
