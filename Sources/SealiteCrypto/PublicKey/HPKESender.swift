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
