internal import COpenSSL

/// OpenSSL's algorithms, each fetched from the default library context once per process, because an implicit fetch in
/// each call takes locks and more than a third of the time in which a page is encrypted. A property is nil only if
/// OpenSSL's provider doesn't have the algorithm.
enum Algorithms {
    static var aes256GCM: OpaquePointer? { unsafe fetched(Fetched.aes256GCM) }
    static var aes256ECB: OpaquePointer? { unsafe fetched(Fetched.aes256ECB) }
    static var aes256Wrap: OpaquePointer? { unsafe fetched(Fetched.aes256Wrap) }
    static var sha1: OpaquePointer? { unsafe fetched(Fetched.sha1) }
    static var sha256: OpaquePointer? { unsafe fetched(Fetched.sha256) }
    static var sha512: OpaquePointer? { unsafe fetched(Fetched.sha512) }
    static var shake128: OpaquePointer? { unsafe fetched(Fetched.shake128) }
    static var hmac: OpaquePointer? { unsafe fetched(Fetched.hmac) }
    static var hkdf: OpaquePointer? { unsafe fetched(Fetched.hkdf) }
    static var scrypt: OpaquePointer? { unsafe fetched(Fetched.scrypt) }
    static var pbkdf2: OpaquePointer? { unsafe fetched(Fetched.pbkdf2) }

    @inline(__always)
    private static func fetched(_ object: @autoclosure () -> OpaquePointer?) -> OpaquePointer? {
        noteFetching()
        return unsafe object()
    }

    /// Fetches the algorithms that haven't been fetched yet, and waits until other threads have completed their
    /// fetches.
    static func finishFetching() {
        _ = unsafe [
            aes256GCM, aes256ECB, aes256Wrap, sha1, sha256, sha512, shake128, hmac, hkdf, scrypt, pbkdf2,
        ]
    }

    /// Lets OpenSSL keep its memory in exit(3), which it would free by default while threads of the library may still
    /// use it. Without effect if the program has used OpenSSL before.
    static func keepMemoryAtExit() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }

    private enum Fetched {
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let aes256GCM: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let aes256ECB: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let aes256Wrap: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-WRAP", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let sha1: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA1", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let sha256: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA256", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let sha512: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA512", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let shake128: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHAKE128", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let hmac: OpaquePointer? = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let hkdf: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "HKDF", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let scrypt: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "SCRYPT", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let pbkdf2: OpaquePointer? = unsafe EVP_KDF_fetch(nil, "PBKDF2", nil)
    }
}
