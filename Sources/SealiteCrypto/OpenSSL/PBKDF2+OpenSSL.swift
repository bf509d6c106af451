internal import COpenSSL

extension HashFunction {
    /// Derives a key with PBKDF2; the iterations and the length have been checked.
    func pbkdf2(
        passphrase: borrowing SecretBytes, salt: [UInt8], iterations: Int, byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        guard let algorithm = unsafe Algorithms.pbkdf2, let context = unsafe EVP_KDF_CTX_new(algorithm) else {
            throw CryptoError.openSSL("setting up PBKDF2 failed")
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        var count = UInt64(iterations)
        // The caller is responsible for the lower bounds of SP 800-132, because other programs' formats determine salts
        // and counts.
        var skipsLowerBounds: Int32 = 1
        return try unsafe SecretBytes(byteCount: byteCount) { output throws(CryptoError) in
            let done = unsafe salt.withUnsafeBytes { salt in
                unsafe withUnsafeMutablePointer(to: &count) { count in
                    unsafe withUnsafeMutablePointer(to: &skipsLowerBounds) { skipsLowerBounds in
                        var parameters = unsafe Parameters()
                        unsafe parameters.add("pkcs5", skipsLowerBounds)
                        unsafe parameters.add("digest", name)
                        unsafe parameters.add(
                            "pass", passphrase.buffer)
                        unsafe parameters.add("salt", UnsafeRawBufferPointer(start: salt.address, count: salt.count))
                        unsafe parameters.add("iter", count)
                        return unsafe parameters.withArray { parameters in
                            let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                            return unsafe EVP_KDF_derive(context, start, output.count, parameters) == 1
                        }
                    }
                }
            }
            guard done == true else { throw CryptoError.openSSL("PBKDF2 with \(iterations) iterations failed") }
        }
    }
}
