internal import SealiteCrypto

/// Wraps keys, that is, encrypts them under another key, with XAES-256-GCM.
enum KeyWrap {
    static func wrap(
        _ secret: borrowing SecretBytes, under key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> WrappedKey {
        assert(secret.byteCount == 32, "every wrapped key has 32 bytes")
        assert(!associatedData.isEmpty, "a wrapped key is bound to its place")
        let box = try XAES256GCM.seal(secret, key: key, associatedData: associatedData)
        return WrappedKey(nonce: box.nonce, sealed: box.ciphertext + box.tag)
    }

    /// Unwraps a key. Throws `authenticationFailed` if the key or the associated data doesn't match.
    static func unwrap(
        _ wrapped: WrappedKey, under key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        assert(wrapped.nonce.count == 24 && wrapped.sealed.count == 48)
        let box = SealedBox(
            nonce: wrapped.nonce, ciphertext: wrapped.sealed.slice(0, 32), tag: wrapped.sealed.slice(32, 16))
        return try XAES256GCM.open(box, key: key, associatedData: associatedData)
    }
}
