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
                    var parameters = unsafe OpenSSLParameters()
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
                        var parameters = unsafe OpenSSLParameters()
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

extension Scrypt {
    /// Derives a key with scrypt; the cost has been checked.
    static func deriveWithOpenSSL(
        passphrase: borrowing SecretBytes, salt: [UInt8], cost: Cost, byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        guard let algorithm = unsafe Algorithms.scrypt, let context = unsafe EVP_KDF_CTX_new(algorithm) else {
            throw CryptoError.openSSL("setting up scrypt failed")
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        // OpenSSL's own bound (32 MiB or 1 GiB, depending on the version) would refuse costs that this library accepts.
        // It counts p blocks and two more rows in addition to 128 · N · r.
        var numbers = (
            n: UInt64(1) << cost.logN, r: UInt64(cost.r), p: UInt64(cost.p),
            memory: UInt64(128 * cost.r) * ((1 << cost.logN) + 2 + UInt64(cost.p))
        )
        return try unsafe SecretBytes(byteCount: byteCount) { output throws(CryptoError) in
            let done = unsafe salt.withUnsafeBytes { salt in
                unsafe withUnsafeMutablePointer(to: &numbers) { numbers in
                    var parameters = unsafe OpenSSLParameters()
                    unsafe parameters.add("pass", passphrase.buffer)
                    unsafe parameters.add("salt", UnsafeRawBufferPointer(start: salt.address, count: salt.count))
                    unsafe parameters.add("n", &numbers.pointee.n)
                    unsafe parameters.add("r", &numbers.pointee.r)
                    unsafe parameters.add("p", &numbers.pointee.p)
                    unsafe parameters.add("maxmem_bytes", &numbers.pointee.memory)
                    return unsafe parameters.withArray { parameters in
                        let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        return unsafe EVP_KDF_derive(context, start, output.count, parameters) == 1
                    }
                }
            }
            guard done == true else {
                throw CryptoError.openSSL("scrypt with log2 N \(cost.logN), r \(cost.r), p \(cost.p) failed")
            }
        }
    }
}
