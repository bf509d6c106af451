internal import COpenSSL

extension HashFunction {
    /// OpenSSL's object for the hash function; nil if the provider doesn't have the function.
    var algorithm: OpaquePointer? {
        switch self {
        case .sha1: unsafe Algorithms.sha1
        case .sha256: unsafe Algorithms.sha256
        case .sha512: unsafe Algorithms.sha512
        case .md5: unsafe Algorithms.md5
        }
    }

    /// OpenSSL's name of the hash function, as a parameter of other algorithms.
    var name: StaticString {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        case .md5: "MD5"
        }
    }

    /// Returns the digest of bytes.
    package func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        var count: UInt32 = 0
        let result = unsafe EVP_Digest(bytes.baseAddress, bytes.count, &digest, &count, algorithm, nil)
        guard result == 1, count == byteCount else {
            throw CryptoError.openSSL("computing a \(rawValue) digest failed")
        }
        return digest
    }

    /// Returns the digest of secret bytes, which is a secret too.
    package func secretDigest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
        try unsafe SecretBytes(byteCount: byteCount) { digest throws(CryptoError) in
            var count: UInt32 = 0
            let output = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let result = unsafe EVP_Digest(bytes.baseAddress, bytes.count, output, &count, algorithm, nil)
            guard result == 1, count == byteCount else {
                throw CryptoError.openSSL("computing a \(rawValue) digest failed")
            }
        }
    }

    /// Returns the HMAC of a message.
    package func authenticationCode(
        for message: UnsafeRawBufferPointer, key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        guard let mac = unsafe Algorithms.hmac, let context = unsafe EVP_MAC_CTX_new(mac) else {
            throw CryptoError.openSSL("setting up HMAC failed")
        }
        defer { unsafe EVP_MAC_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: byteCount)
        var count = 0
        var parameters = unsafe OpenSSLParameters()
        unsafe parameters.add("digest", name)
        let done = unsafe parameters.withArray { parameters in
            // A null key would mean the previous key to OpenSSL. The base of a secret is never null, even if it is
            // empty.
            unsafe EVP_MAC_init(context, key.base.assumingMemoryBound(to: UInt8.self), key.byteCount, parameters) == 1
                && EVP_MAC_update(context, message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count) == 1
                && EVP_MAC_final(context, &code, &count, code.count) == 1
        }
        guard done == true, count == byteCount else { throw CryptoError.openSSL("HMAC with \(rawValue) failed") }
        return code
    }
}

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

/// SHAKE-128 (FIPS 202), with which the inputs of C2SP's accumulated test vectors for XAES-256-GCM are generated and
/// their outputs hashed. It has no other use.
@safe
package struct SHAKE128: ~Copyable {
    private let context: OpaquePointer

    package init() throws(CryptoError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw CryptoError.openSSL("setting up SHAKE-128 failed") }
        guard unsafe EVP_DigestInit_ex2(context, Algorithms.shake128, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw CryptoError.openSSL("setting up SHAKE-128 failed")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds bytes to the input of the function.
    package mutating func update(_ bytes: [UInt8]) throws(CryptoError) {
        guard unsafe EVP_DigestUpdate(context, bytes, bytes.count) == 1 else {
            throw CryptoError.openSSL("computing a SHAKE-128 digest failed")
        }
    }

    /// Returns the first `byteCount` bytes of the output; a longer output starts with the same bytes.
    package consuming func finalize(byteCount: Int) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        guard unsafe EVP_DigestFinalXOF(context, &output, byteCount) == 1 else {
            throw CryptoError.openSSL("computing a SHAKE-128 digest failed")
        }
        return output
    }
}
