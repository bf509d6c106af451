import SealiteCrypto

/// Altered forms of published bytes, which production code must refuse.
enum Forgery {
    /// Returns one altered copy of `bytes` for each byte: in copy n only byte n differs, by bit n mod 8.
    static func all(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.indices.lazy.map { index in
            var forged = bytes
            forged[index] ^= 1 << (index % 8)
            return forged
        }
    }

    /// Returns whether a call throws a `CryptoError` with the code `authenticationFailed`; false if it returns.
    /// Rethrows any other error.
    static func isRefused(_ call: () throws -> Void) throws -> Bool {
        do {
            try call()
            return false
        } catch let error as CryptoError where error.code == .authenticationFailed {
            return true
        }
    }
}
