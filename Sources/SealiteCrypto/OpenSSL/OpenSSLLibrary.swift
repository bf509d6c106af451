internal import COpenSSL

/// The libcrypto that this process runs with.
package enum OpenSSLLibrary {
    /// Its version as it names it: `3.0.15`.
    package static var version: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
