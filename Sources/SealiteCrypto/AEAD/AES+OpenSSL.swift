internal import COpenSSL

/// A keyed AES-256-GCM context of OpenSSL that is reused with new nonces, for sealing and for opening.
///
/// The value is a handle, not an owner: its creator calls `free()`, which wipes the key schedule. Not thread-safe.
@unsafe
struct GCMContext {
    /// The parameters with which OpenSSL returns and takes tags: one `OSSL_PARAM` and the end mark. The owner creates
    /// them once, because `EVP_CIPHER_CTX_ctrl` would create them for each message.
    typealias TagParameters = UnsafeMutablePointer<OSSL_PARAM>

    private let context: OpaquePointer

    /// Creates a context without a key; nil if OpenSSL has no memory or no AES-256-GCM.
    init?() {
        guard let cipher = unsafe Algorithms.aes256GCM, let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        guard unsafe EVP_CipherInit_ex2(context, cipher, nil, nil, 1, nil) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            return nil
        }
        unsafe self.context = context
    }

    func free() {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Sets the 32-byte key for the following calls of `seal` and `open`. Returns false if OpenSSL failed.
    @inline(__always)
    func setKey(_ key: UnsafePointer<UInt8>) -> Bool {
        unsafe EVP_CipherInit_ex2(context, nil, key, nil, -1, nil) == 1
    }

    static func makeTagParameters() -> TagParameters {
        let parameters = TagParameters.allocate(capacity: 2)
        // The name must outlive the parameters; a string's temporary C string would not.
        let name: StaticString = "tag"
        let key = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe parameters.initialize(to: OSSL_PARAM_construct_octet_string(key, nil, 16))
        unsafe (parameters + 1).initialize(to: OSSL_PARAM_construct_end())
        return unsafe parameters
    }

    /// Seals with a 12-byte nonce; `ciphertext` may be the same memory as the plaintext.
    ///
    /// - Returns: false if OpenSSL failed.
    @inline(__always)
    func seal(
        _ plaintext: UnsafeRawPointer, byteCount: Int32, associatedData: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>, into ciphertext: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer,
        parameters: TagParameters
    ) -> Bool {
        var count: Int32 = 0
        guard unsafe EVP_CipherInit_ex2(context, nil, nil, nonce, 1, nil) == 1,
            unsafe update(plaintext, byteCount, associatedData, into: ciphertext, &count),
            unsafe EVP_CipherFinal_ex(context, bytes(ciphertext + Int(count)), &count) == 1
        else { return false }
        unsafe parameters.pointee.data = tag
        unsafe parameters.pointee.return_size = 0
        // OpenSSL ignores a parameter that the provider doesn't know, but a message without a tag must be an error.
        return unsafe EVP_CIPHER_CTX_get_params(context, parameters) == 1 && parameters.pointee.return_size == 16
    }

    /// Opens with a 12-byte nonce; `plaintext` may be the same memory as the ciphertext.
    ///
    /// - Returns: false if the tag is wrong or OpenSSL failed: the caller must then wipe `plaintext`.
    @inline(__always)
    func open(
        _ ciphertext: UnsafeRawPointer, byteCount: Int32, associatedData: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>, tag: UnsafeRawPointer, into plaintext: UnsafeMutableRawPointer,
        parameters: TagParameters
    ) -> Bool {
        var count: Int32 = 0
        // OpenSSL only reads the tag; its parameter type has no const.
        unsafe parameters.pointee.data = UnsafeMutableRawPointer(mutating: tag)
        return unsafe EVP_CipherInit_ex2(context, nil, nil, nonce, 0, parameters) == 1
            && update(ciphertext, byteCount, associatedData, into: plaintext, &count)
            && EVP_CipherFinal_ex(context, bytes(plaintext + Int(count)), &count) == 1
    }

    @inline(__always)
    private func update(
        _ input: UnsafeRawPointer, _ byteCount: Int32, _ associatedData: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer, _ count: inout Int32
    ) -> Bool {
        if associatedData.count > 0 {
            let data = unsafe associatedData.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let dataCount = Int32(truncatingIfNeeded: associatedData.count)
            guard unsafe EVP_CipherUpdate(context, nil, &count, data, dataCount) == 1 else { return false }
            count = 0
        }
        if byteCount == 0 { return true }
        return unsafe EVP_CipherUpdate(
            context, bytes(output), &count, input.assumingMemoryBound(to: UInt8.self), byteCount) == 1
    }

    @inline(__always)
    private func bytes(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
        unsafe pointer.assumingMemoryBound(to: UInt8.self)
    }
}

/// AES-256 on whole blocks with one key: the block cipher with which XAES derives its keys.
///
/// The value is a handle, not an owner: its creator calls `free()`, which wipes the key schedule. Not thread-safe.
@unsafe
struct ECBContext {
    private let context: OpaquePointer

    /// Creates a context with a 32-byte key; nil if OpenSSL has no memory or no AES-256.
    init?(key: UnsafePointer<UInt8>) {
        guard let cipher = unsafe Algorithms.aes256ECB, let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        guard unsafe EVP_EncryptInit_ex2(context, cipher, key, nil, nil) == 1,
            unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else {
            unsafe EVP_CIPHER_CTX_free(context)
            return nil
        }
        unsafe self.context = context
    }

    func free() {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Encrypts whole blocks in place.
    ///
    /// - Returns: false if OpenSSL failed.
    @inline(__always)
    func encrypt(_ blocks: UnsafeMutablePointer<UInt8>, byteCount: Int32) -> Bool {
        var count: Int32 = 0
        return unsafe EVP_EncryptUpdate(context, blocks, &count, blocks, byteCount) == 1 && count == byteCount
    }
}

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
