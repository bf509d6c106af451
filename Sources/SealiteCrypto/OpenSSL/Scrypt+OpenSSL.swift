internal import COpenSSL

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
                    var parameters = unsafe Parameters()
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
