import SealiteCrypto

/// Forgeries of published bytes.
enum Forgery {
    /// The bytes with one bit changed, once for each byte: the lowest bit of the first, the next bit of the second, and
    /// so on.
    static func all(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.indices.lazy.map { index in
            var forged = bytes
            forged[index] ^= 1 << (index % 8)
            return forged
        }
    }

    /// Returns whether a call refuses its input as not authentic. Any other error is the caller's.
    static func isRefused(_ call: () throws -> Void) throws -> Bool {
        do {
            try call()
            return false
        } catch let error as CryptoError where error.code == .authenticationFailed {
            return true
        }
    }
}
