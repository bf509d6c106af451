internal import COpenSSL

/// The algorithms, fetched from the default library context once per process: an implicit fetch in each call takes
/// locks and costs more than a third of a page.
enum Algorithms {
    // The fetched objects are immutable, reference-counted by OpenSSL with atomics, and never freed: safe from any
    // thread. Nil only when the provider does not have the algorithm.
    nonisolated(unsafe) static let aes256GCM: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    // As above.
    nonisolated(unsafe) static let aes256ECB: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    // As above.
    nonisolated(unsafe) static let sha1: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA1", nil)
    // As above.
    nonisolated(unsafe) static let sha256: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA256", nil)
    // As above.
    nonisolated(unsafe) static let sha512: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA512", nil)
    // As above.
    nonisolated(unsafe) static let shake128: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHAKE128", nil)
    // As above.
    nonisolated(unsafe) static let hmac: OpaquePointer? = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
    // As above.
    nonisolated(unsafe) static let hkdf: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "HKDF", nil)
    // As above.
    nonisolated(unsafe) static let scrypt: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "SCRYPT", nil)
    // As above.
    nonisolated(unsafe) static let pbkdf2: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "PBKDF2", nil)
}
