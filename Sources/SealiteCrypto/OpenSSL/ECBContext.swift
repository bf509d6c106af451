internal import COpenSSL

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
