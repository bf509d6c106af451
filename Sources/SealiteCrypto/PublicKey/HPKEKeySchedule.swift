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
