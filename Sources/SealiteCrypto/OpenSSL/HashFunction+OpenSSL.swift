internal import COpenSSL

extension HashFunction {
    /// OpenSSL's object for the hash function; nil if the provider doesn't have the function.
    var algorithm: OpaquePointer? {
        switch self {
        case .sha1: unsafe Algorithms.sha1
        case .sha256: unsafe Algorithms.sha256
        case .sha512: unsafe Algorithms.sha512
        }
    }

    /// OpenSSL's name of the hash function, as a parameter of other algorithms.
    var name: StaticString {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
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
        var parameters = unsafe Parameters()
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
