internal import COpenSSL

/// X25519 (RFC 7748), the key agreement on which the key encapsulation of HPKE is built.
enum X25519 {
    static let byteCount = 32

    /// Returns the public key of a private key.
    static func publicKey(for privateKey: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
        let key = try unsafe makeKey(privateKey)
        defer { unsafe EVP_PKEY_free(key) }
        var publicKey = [UInt8](repeating: 0, count: byteCount)
        var count = byteCount
        guard unsafe EVP_PKEY_get_raw_public_key(key, &publicKey, &count) == 1, count == byteCount else {
            throw CryptoError.openSSL("computing an X25519 public key failed")
        }
        return publicKey
    }

    /// Returns the shared secret of a private and a public key. Throws `invalidKey` for a public key of small order,
    /// which yields zeros: OpenSSL refuses it, as RFC 9180 §7.1.4 requires.
    static func sharedSecret(
        _ privateKey: borrowing SecretBytes, _ publicKey: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        guard publicKey.count == byteCount else {
            throw CryptoError(.invalidKey, "an X25519 public key has 32 bytes, this one has \(publicKey.count)")
        }
        let key = try unsafe makeKey(privateKey)
        defer { unsafe EVP_PKEY_free(key) }
        let peer = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "X25519", nil, publicKey, publicKey.count)
        defer { unsafe EVP_PKEY_free(peer) }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return try unsafe SecretBytes(byteCount: byteCount) { output throws(CryptoError) in
            let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var count = output.count
            let done =
                unsafe peer != nil && context != nil && EVP_PKEY_derive_init(context) == 1
                && EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, start, &count) == 1
            guard done, count == byteCount else {
                throw CryptoError.openSSL(
                    "no shared secret can be derived with the X25519 public key: the key is invalid, or OpenSSL failed",
                    code: .invalidKey)
            }
        }
    }

    private static func makeKey(_ privateKey: borrowing SecretBytes) throws(CryptoError) -> OpaquePointer {
        guard privateKey.byteCount == byteCount else {
            throw CryptoError(.invalidKey, "an X25519 private key has 32 bytes, this one has \(privateKey.byteCount)")
        }
        let bytes = unsafe privateKey.base.assumingMemoryBound(to: UInt8.self)
        guard let key = unsafe EVP_PKEY_new_raw_private_key_ex(nil, "X25519", nil, bytes, byteCount) else {
            throw CryptoError.openSSL("reading an X25519 private key failed")
        }
        return unsafe key
    }
}
