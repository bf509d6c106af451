extension UnsafeRawBufferPointer {
    /// The address of the bytes; a valid address even for an empty buffer without one, because OpenSSL takes a null
    /// pointer for a missing argument.
    var address: UnsafeRawPointer { unsafe baseAddress ?? UnsafeRawPointer(nowhere) }
}

// One byte that is never read or written; the pointer never changes.
nonisolated(unsafe) private let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
