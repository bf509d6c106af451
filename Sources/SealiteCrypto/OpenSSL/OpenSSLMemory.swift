internal import COpenSSL

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
