internal import COpenSSL

extension AESGCM {
    /// Seals one message with an OpenSSL context of its own; the length of the nonce has been checked.
    static func sealWithOpenSSL(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        let context = try unsafe makeContext(key: key, plaintext.count, associatedData.count)
        let parameters = unsafe GCMContext.makeTagParameters()
        defer {
            unsafe context.free()
            unsafe parameters.deallocate()
        }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        let done = unsafe associatedData.withUnsafeBytes { data in
            unsafe context.seal(
                plaintext.address, byteCount: Int32(plaintext.count), associatedData: data, nonce: nonce,
                into: &ciphertext, tag: &tag, parameters: parameters)
        }
        guard done else { throw CryptoError.openSSL("sealing \(plaintext.count) bytes with AES-256-GCM failed") }
        return SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
    }

    /// Opens one message with an OpenSSL context of its own; the lengths of the nonce and the tag have been checked. If
    /// the tag is wrong, throws `authenticationFailed`, and the decrypted bytes are wiped.
    static func openWithOpenSSL(
        _ box: SealedBox, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        let context = try unsafe makeContext(key: key, box.ciphertext.count, associatedData.count)
        let parameters = unsafe GCMContext.makeTagParameters()
        defer {
            unsafe context.free()
            unsafe parameters.deallocate()
        }
        return try unsafe SecretBytes(byteCount: box.ciphertext.count) { plaintext throws(CryptoError) in
            let output = unsafe UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer(plaintext).address)
            let fits = unsafe associatedData.withUnsafeBytes { data in
                unsafe context.open(
                    box.ciphertext, byteCount: Int32(box.ciphertext.count), associatedData: data, nonce: box.nonce,
                    tag: box.tag, into: output, parameters: parameters)
            }
            guard fits else {
                ERR_clear_error()
                throw CryptoError(
                    .authenticationFailed,
                    "a message sealed with AES-256-GCM can't be opened: its key or associated data is wrong,"
                        + " or it was altered")
            }
        }
    }

    private static func makeContext(
        key: borrowing SecretBytes, _ byteCount: Int, _ associatedByteCount: Int
    ) throws(CryptoError) -> GCMContext {
        guard key.byteCount == keyByteCount else {
            throw CryptoError(.invalidKey, "an AES-256-GCM key has 32 bytes, this one has \(key.byteCount)")
        }
        try XAESCipher.check(byteCount, associatedByteCount)
        guard let context = unsafe GCMContext() else { throw CryptoError.openSSL("setting up AES-256-GCM failed") }
        guard unsafe context.setKey(key.base.assumingMemoryBound(to: UInt8.self)) else {
            unsafe context.free()
            throw CryptoError.openSSL("setting an AES-256-GCM key failed")
        }
        return unsafe context
    }
}
