internal import COpenSSL

extension HashFunction {
    /// The two steps of HKDF, together and separately (HPKE labels each of them).
    package enum HKDFMode: Int32 {
        case extractAndExpand = 0
        case extract = 1
        case expand = 2
    }

    /// Runs HKDF with this hash. The mode `extract` returns as many bytes as a digest has, regardless of `byteCount`;
    /// its key may be empty.
    package func hkdf(
        _ mode: HKDFMode, key: borrowing SecretBytes, salt: UnsafeRawBufferPointer, info: [UInt8], byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * self.byteCount).contains(byteCount) else {
            throw CryptoError(
                .invalidLength,
                "HKDF with \(rawValue) derives 1 to \(255 * self.byteCount) bytes, not \(byteCount)")
        }
        guard let algorithm = unsafe Algorithms.hkdf, let context = unsafe EVP_KDF_CTX_new(algorithm) else {
            throw CryptoError.openSSL("setting up HKDF failed")
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        var modeNumber = mode.rawValue
        return try unsafe SecretBytes(byteCount: mode == .extract ? self.byteCount : byteCount) {
            output throws(CryptoError) in
            let done = unsafe info.withUnsafeBytes { info in
                unsafe withUnsafeMutablePointer(to: &modeNumber) { mode in
                    var parameters = unsafe Parameters()
                    unsafe parameters.add("mode", mode)
                    unsafe parameters.add("digest", name)
                    unsafe parameters.add("key", key.buffer)
                    if salt.count > 0 { unsafe parameters.add("salt", salt) }
                    if info.count > 0 { unsafe parameters.add("info", info) }
                    return unsafe parameters.withArray { parameters in
                        let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        return unsafe EVP_KDF_derive(context, start, output.count, parameters) == 1
                    }
                }
            }
            guard done == true else { throw CryptoError.openSSL("HKDF with \(rawValue) failed") }
        }
    }
}
