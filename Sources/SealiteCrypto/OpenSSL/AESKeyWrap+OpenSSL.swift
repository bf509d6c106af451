internal import COpenSSL

extension AESKeyWrap {
    /// Wraps a secret. OpenSSL works in the output buffer, which contains the secret until it is wrapped, and part of
    /// it after a failure; so the buffer is wiped.
    static func wrapWithOpenSSL(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        let context = try unsafe makeContext(key, encrypting: true)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let source = unsafe secret.base.assumingMemoryBound(to: UInt8.self)
        let wrapped = try unsafe SecretBytes(byteCount: secret.byteCount + overheadByteCount) {
            (buffer) throws(CryptoError) in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var count: Int32 = 0
            guard unsafe EVP_CipherUpdate(context, start, &count, source, Int32(secret.byteCount)) == 1,
                count == buffer.count
            else { throw CryptoError.openSSL("wrapping \(secret.byteCount) bytes with AES key wrap failed") }
        }
        return unsafe Array(wrapped.buffer)
    }

    /// Unwraps a secret, or throws `authenticationFailed` if the integrity check fails; the bytes that OpenSSL wrote
    /// before the check are wiped then.
    static func unwrapWithOpenSSL(
        _ wrapped: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        let context = try unsafe makeContext(key, encrypting: false)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        // OpenSSL temporarily writes the integrity block after the secret.
        let opened = try unsafe SecretBytes(byteCount: wrapped.count) { buffer throws(CryptoError) in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var count: Int32 = 0
            guard unsafe EVP_CipherUpdate(context, start, &count, wrapped, Int32(wrapped.count)) == 1,
                count == wrapped.count - overheadByteCount
            else {
                ERR_clear_error()
                throw CryptoError(
                    .authenticationFailed,
                    "a key wrapped with AES key wrap can't be unwrapped: the wrapping key is wrong, or the bytes were"
                        + " altered")
            }
        }
        return unsafe SecretBytes(
            copying: UnsafeRawBufferPointer(rebasing: opened.buffer[..<(wrapped.count - overheadByteCount)]))
    }

    private static func makeContext(
        _ key: borrowing SecretBytes, encrypting: Bool
    ) throws(CryptoError) -> OpaquePointer {
        guard key.byteCount == keyByteCount else {
            throw CryptoError(.invalidKey, "an AES key wrap key has 32 bytes, this one has \(key.byteCount)")
        }
        guard let cipher = unsafe Algorithms.aes256Wrap, let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptoError.openSSL("setting up AES key wrap failed")
        }
        unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        let bytes = unsafe key.base.assumingMemoryBound(to: UInt8.self)
        guard unsafe EVP_CipherInit_ex2(context, cipher, bytes, nil, encrypting ? 1 : 0, nil) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw CryptoError.openSSL("setting an AES key wrap key failed")
        }
        return unsafe context
    }
}
