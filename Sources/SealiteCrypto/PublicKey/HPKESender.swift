extension HPKE {
    /// The sender's side of an exchange: seals one message after another, and exports secrets.
    public struct Sender: ~Copyable, Sendable {
        /// What the recipient needs to set up its side: 32 bytes.
        public let encapsulatedKey: [UInt8]
        private var schedule: KeySchedule

        /// Sets up an exchange with a new ephemeral key.
        ///
        /// - Parameters:
        ///   - publicKey: the recipient's, 32 bytes.
        ///   - info: what the exchange is for.
        /// - Throws: `invalidKey`, `randomUnavailable`, `openSSLFailure`.
        public init(to publicKey: [UInt8], info: [UInt8]) throws(CryptoError) {
            try self.init(to: publicKey, info: info, ephemeralKey: .random(byteCount: HPKE.keyByteCount))
        }

        /// Sets up an exchange in PSK mode with a new ephemeral key.
        ///
        /// - Parameters:
        ///   - publicKey: the recipient's, 32 bytes.
        ///   - info: what the exchange is for.
        ///   - preSharedKey: the key by which the recipient knows that the sender has it too.
        /// - Throws: `invalidKey`, `randomUnavailable`, `openSSLFailure`.
        public init(
            to publicKey: [UInt8], info: [UInt8], preSharedKey: borrowing PreSharedKey
        ) throws(CryptoError) {
            try self.init(
                to: publicKey, info: info, preSharedKey: preSharedKey,
                ephemeralKey: .random(byteCount: HPKE.keyByteCount))
        }

        /// Base mode with an ephemeral private key of the caller's, for the published vectors.
        package init(
            to publicKey: [UInt8], info: [UInt8], ephemeralKey: consuming SecretBytes
        ) throws(CryptoError) {
            let encapsulatedKey = try X25519.publicKey(for: ephemeralKey)
            let shared = try DHKEM.sharedSecret(
                ephemeralKey, publicKey, encapsulatedKey: encapsulatedKey, recipientKey: publicKey)
            schedule = try KeySchedule(sharedSecret: shared, info: info)
            self.encapsulatedKey = encapsulatedKey
        }

        /// PSK mode with an ephemeral private key of the caller's, for the published vectors.
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
