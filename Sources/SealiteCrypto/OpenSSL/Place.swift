extension UnsafeRawBufferPointer {
    /// Where the bytes are; for an empty buffer without a place one that exists, because OpenSSL reads a null pointer as
    /// "no such argument".
    var place: UnsafeRawPointer { unsafe baseAddress ?? UnsafeRawPointer(nowhere) }
}

// One byte that nobody reads or writes; the pointer never changes.
nonisolated(unsafe) private let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
