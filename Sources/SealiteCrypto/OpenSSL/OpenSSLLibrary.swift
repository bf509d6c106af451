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
    static var aes256CBC: OpaquePointer? { unsafe fetched(Fetched.aes256CBC) }
    static var aes128CBC: OpaquePointer? { unsafe fetched(Fetched.aes128CBC) }
    static var chaCha20: OpaquePointer? { unsafe fetched(Fetched.chaCha20) }
    static var poly1305: OpaquePointer? { unsafe fetched(Fetched.poly1305) }
    static var md5: OpaquePointer? { unsafe fetched(Fetched.md5) }

    @inline(__always)
    private static func fetched(_ object: @autoclosure () -> OpaquePointer?) -> OpaquePointer? {
        noteFetching()
        return unsafe object()
    }

    /// Fetches the algorithms that haven't been fetched yet, and waits until other threads have completed their
    /// fetches.
    static func finishFetching() {
        _ = unsafe [
            aes256GCM, aes256ECB, aes256Wrap, sha1, sha256, sha512, shake128, hmac, hkdf, scrypt, pbkdf2, aes256CBC,
            aes128CBC,
            chaCha20, poly1305, md5,
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
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let aes256CBC: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let aes128CBC: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let chaCha20: OpaquePointer? = unsafe EVP_CIPHER_fetch(nil, "ChaCha20", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let poly1305: OpaquePointer? = unsafe EVP_MAC_fetch(nil, "POLY1305", nil)
        // Safe from any thread: the object is immutable, counted by OpenSSL with atomics, and never freed.
        nonisolated(unsafe) static let md5: OpaquePointer? = unsafe EVP_MD_fetch(nil, "MD5", nil)
    }
}

/// The libcrypto that this process uses.
package enum OpenSSLLibrary {
    /// The library's version, such as `3.0.15`.
    package static var version: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }
}

/// The choice of the memory from which OpenSSL allocates.
package enum OpenSSLMemory {
    /// Makes OpenSSL allocate all its memory from ``ProtectedHeap``, permanently for this process.
    ///
    /// Only a program, such as the command line, calls this, and before anything else; a library must not decide this
    /// for its host. Data on the stack during OpenSSL calls isn't covered.
    ///
    /// - Returns: false if OpenSSL already has memory of the ordinary heap; then nothing has changed. True also if
    ///   the protected heap was set by an earlier call.
    package static func useProtectedHeap() -> Bool {
        let result = unsafe CRYPTO_set_mem_functions(
            { byteCount, _, _ in unsafe ProtectedHeap.allocate(byteCount) },
            { pointer, byteCount, _, _ in unsafe ProtectedHeap.reallocate(pointer, byteCount) },
            { pointer, _, _ in unsafe ProtectedHeap.deallocate(pointer) })
        return result == 1
    }
}

/// A list of named parameters for an OpenSSL call. It contains pointers to the added values, which must outlive the
/// call.
@unsafe
struct OpenSSLParameters {
    private var list: [OSSL_PARAM] = unsafe []

    init() {}

    /// Adds bytes; adds nothing if the buffer is empty and has no address.
    mutating func add(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // OpenSSL only reads the bytes; its parameter type has no const.
        unsafe list.append(
            OSSL_PARAM_construct_octet_string(
                Self.key(name), UnsafeMutableRawPointer(mutating: start), bytes.count))
    }

    mutating func add(_ name: StaticString, _ text: StaticString) {
        unsafe list.append(
            OSSL_PARAM_construct_utf8_string(
                Self.key(name), UnsafeMutablePointer(mutating: Self.key(text)), text.utf8CodeUnitCount))
    }

    mutating func add(_ name: StaticString, _ number: UnsafeMutablePointer<UInt64>) {
        unsafe list.append(OSSL_PARAM_construct_uint64(Self.key(name), number))
    }

    mutating func add(_ name: StaticString, _ number: UnsafeMutablePointer<Int32>) {
        unsafe list.append(OSSL_PARAM_construct_int(Self.key(name), number))
    }

    /// Calls `body` with the parameters, followed by OpenSSL's end mark, and returns its result, which is never nil
    /// unless `body` returns nil.
    func withArray<R>(_ body: (UnsafePointer<OSSL_PARAM>) -> R) -> R? {
        let ended = unsafe list + [OSSL_PARAM_construct_end()]
        return unsafe ended.withUnsafeBufferPointer { unsafe $0.baseAddress.map { unsafe body($0) } }
    }

    private static func key(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension CryptoError {
    /// Returns the error of a failed OpenSSL call, with the messages in the thread's error queue; its code is `code`,
    /// or `outOfMemory` if the queue says so. Empties the queue, so it must be called before any suspension.
    @inline(never)
    static func openSSL(_ what: String, code: Code = .openSSLFailure) -> CryptoError {
        var reasons: [String] = []
        var code = code
        while true {
            let number = ERR_get_error()
            if number == 0 { break }
            if ERR_GET_REASON(number) == ERR_R_MALLOC_FAILURE { code = .outOfMemory }
            if let text = unsafe ERR_reason_error_string(number) {
                reasons.append(unsafe String(cString: text))
            } else {
                reasons.append("error \(String(number, radix: 16))")
            }
        }
        return CryptoError(code, what, openSSLReasons: reasons)
    }
}

extension UnsafeRawBufferPointer {
    /// The address of the bytes; a valid address even for an empty buffer without one, because OpenSSL takes a null
    /// pointer for a missing argument.
    var address: UnsafeRawPointer { unsafe baseAddress ?? UnsafeRawPointer(nowhere) }
}

// One byte that is never read or written; the pointer never changes.
nonisolated(unsafe) private let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
