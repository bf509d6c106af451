/// The hash functions that this module can use by themselves, in HMAC and in key derivation. Sealite's own formats use
/// SHA-256; the other functions are for the formats of other programs (blob digests, imports) and for their test
/// vectors.
package enum HashFunction: String, Sendable, CaseIterable {
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"

    /// The length of a digest, in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}
