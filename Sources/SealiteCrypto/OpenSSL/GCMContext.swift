internal import COpenSSL

/// A keyed AES-256-GCM context of OpenSSL that is used again and again with new nonces, for sealing and for opening.
///
/// A handle, not an owner: whoever makes one calls `free()`, which cleanses the key schedule. Not thread-safe.
@unsafe
struct GCMContext {
    /// What OpenSSL is asked for and told about tags: one OSSL_PARAM and the end mark, made once by the owner, because
    /// the control calls would build them anew for each message.
    typealias TagParameters = UnsafeMutablePointer<OSSL_PARAM>

    private let context: OpaquePointer

    /// A context without key; nil when OpenSSL has no memory or no AES-256-GCM.
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

    /// Sets the 32-byte key, which stays for the calls that follow.
    @inline(__always)
    func setKey(_ key: UnsafePointer<UInt8>) -> Bool {
        unsafe EVP_CipherInit_ex2(context, nil, key, nil, -1, nil) == 1
    }

    static func makeTagParameters() -> TagParameters {
        let parameters = TagParameters.allocate(capacity: 2)
        // The name has to outlive the parameters: a string's temporary C string would not.
        let name: StaticString = "tag"
        let key = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe parameters.initialize(to: OSSL_PARAM_construct_octet_string(key, nil, 16))
        unsafe (parameters + 1).initialize(to: OSSL_PARAM_construct_end())
        return unsafe parameters
    }

    /// Seals with a 12-byte nonce; `ciphertext` may be the plaintext's place. False when OpenSSL failed.
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
        // A parameter that the provider does not know is no failure to OpenSSL; a message without tag must be one.
        return unsafe EVP_CIPHER_CTX_get_params(context, parameters) == 1 && parameters.pointee.return_size == 16
    }

    /// Opens with a 12-byte nonce; `plaintext` may be the ciphertext's place. False when the tag does not fit, or
    /// OpenSSL failed: what lies in `plaintext` then must be wiped by the caller.
    @inline(__always)
    func open(
        _ ciphertext: UnsafeRawPointer, byteCount: Int32, associatedData: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>, tag: UnsafeRawPointer, into plaintext: UnsafeMutableRawPointer,
        parameters: TagParameters
    ) -> Bool {
        var count: Int32 = 0
        // OpenSSL reads the tag only; its parameter type has no const.
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
