internal import COpenSSL

/// Computes a digest of bytes that arrive in pieces.
@safe
// Sendable: the context has one owner, this value, and is used with exclusive access only.
struct DigestStream: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer
    private let hash: HashFunction

    init(_ hash: HashFunction) throws(CryptoError) {
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptoError.openSSL("setting up \(hash.rawValue) failed")
        }
        guard unsafe EVP_DigestInit_ex2(context, hash.algorithm, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw CryptoError.openSSL("setting up \(hash.rawValue) failed")
        }
        unsafe self.context = context
        self.hash = hash
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
        guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            throw CryptoError.openSSL("computing a \(hash.rawValue) digest failed")
        }
    }

    consuming func finalize() throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: hash.byteCount)
        var count: UInt32 = 0
        guard unsafe EVP_DigestFinal_ex(context, &digest, &count) == 1, count == digest.count else {
            throw CryptoError.openSSL("computing a \(hash.rawValue) digest failed")
        }
        return digest
    }
}
