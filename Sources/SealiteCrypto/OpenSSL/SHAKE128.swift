internal import COpenSSL

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
