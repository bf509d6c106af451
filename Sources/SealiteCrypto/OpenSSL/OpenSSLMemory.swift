internal import COpenSSL

/// Where OpenSSL keeps what it allocates.
package enum OpenSSLMemory {
    /// Makes OpenSSL take all its memory from ``ProtectedHeap``, for this process and for good.
    ///
    /// To be called first thing by a program that is its own master, such as the command line; a library must not
    /// decide this for its host. What OpenSSL keeps on the stack for the length of a call is not covered.
    ///
    /// - Returns: false when OpenSSL has memory of the ordinary heap already: then nothing has changed. True again when
    ///   called again.
    package static func useProtectedHeap() -> Bool {
        let result = unsafe CRYPTO_set_mem_functions(
            { byteCount, _, _ in unsafe ProtectedHeap.allocate(byteCount) },
            { pointer, byteCount, _, _ in unsafe ProtectedHeap.reallocate(pointer, byteCount) },
            { pointer, _, _ in unsafe ProtectedHeap.deallocate(pointer) })
        return result == 1
    }
}
