internal import CSecret
internal import SealiteCrypto

/// One counted reference to a SecretValue: a secret in libsecret's own locked memory, which libsecret wipes.
@safe
struct SecretValueReference: ~Copyable {
    let pointer: OpaquePointer

    /// Copies a secret for libsecret.
    init(_ secret: borrowing SecretBytes, contentType: String) {
        unsafe pointer = secret.withUnsafeBytes { bytes in
            unsafe secret_value_new(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, contentType)
        }
    }

    /// Takes ownership of a reference that a C call returned; nil for nil.
    init?(consuming pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// The size of the secret in bytes.
    var byteCount: Int {
        var byteCount: gsize = 0
        _ = unsafe secret_value_get(pointer, &byteCount)
        return Int(byteCount)
    }

    /// A copy of the secret in this module's locked memory.
    var secret: SecretBytes {
        var byteCount: gsize = 0
        let start = unsafe secret_value_get(pointer, &byteCount)
        return unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: Int(byteCount)))
    }

    deinit { unsafe secret_value_unref(UnsafeMutableRawPointer(pointer)) }
}
