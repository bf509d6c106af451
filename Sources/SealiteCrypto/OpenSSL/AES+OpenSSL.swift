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
