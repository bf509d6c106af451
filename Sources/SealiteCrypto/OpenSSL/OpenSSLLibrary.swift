internal import COpenSSL

/// The libcrypto that this process uses.
package enum OpenSSLLibrary {
    /// The library's version, such as `3.0.15`.
    package static var version: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
