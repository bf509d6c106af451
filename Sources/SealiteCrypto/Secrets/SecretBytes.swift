internal import COpenSSL

/// Bytes that must not get out: a key, a passphrase, a token.
///
/// They live outside the Swift heap in memory that is locked against swapping (where the limit on locked memory
/// allows: ``isLocked``), excluded from core dumps, and wiped when the value ends. A secret can't be copied by
/// accident, printed, compared in variable time or put in a collection: the type has no copies and no description.
/// Secrets of up to 1 KiB share pages, so that a limit of 64 KiB of locked memory holds many hundreds of keys.
///
/// A child of fork(2) inherits the bytes, but its copy is not locked.
@safe
// Sendable: the memory has one owner, this value, and is written only in initialisers, in deinit and, with exclusive
// access, in `wipe()`.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    /// The number of bytes.
    public let byteCount: Int
    private let cell: SecretMemory.Cell
    /// Where the bytes lie, for the backends of this module.
    var base: UnsafeMutableRawPointer { unsafe cell.base }
    /// The bytes, for the backends of this module; valid as long as this value.
    var buffer: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: cell.base, count: byteCount) }

    /// Makes a secret whose bytes the closure writes; they are zero when it is called.
    ///
    /// - Parameters:
    ///   - byteCount: the number of bytes, at least 0.
    ///   - body: writes the bytes; must not let the pointer out. When it throws, what it wrote is wiped.
    /// - Throws: what `body` throws.
    public init<E: Error>(
        byteCount: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        precondition(byteCount >= 0, "a secret of \(byteCount) bytes")
        let cell = unsafe SecretMemory.allocate(byteCount: byteCount)
        do throws(E) {
            try unsafe body(UnsafeMutableRawBufferPointer(start: cell.base, count: byteCount))
        } catch {
            unsafe OPENSSL_cleanse(cell.base, byteCount)
            unsafe SecretMemory.free(cell)
            throw error
        }
        self.byteCount = byteCount
        unsafe self.cell = cell
    }

    /// Copies the bytes. Wiping the original is up to the caller.
    public init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(byteCount: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    /// Copies the bytes. Wiping the original is up to the caller.
    public init(copying bytes: borrowing RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Copies the bytes of an array, which stays in ordinary memory: for what is public or will be soon, as vectors are.
    package init(copying bytes: [UInt8]) {
        self = unsafe bytes.span.bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// A secret of random bytes, for keys.
    ///
    /// - Throws: `randomUnavailable`.
    public static func random(byteCount: Int) throws(CryptoError) -> SecretBytes {
        try unsafe SecretBytes(byteCount: byteCount) { buffer throws(CryptoError) in
            try unsafe SecureRandom.fill(buffer)
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(cell.base, byteCount)
        unsafe SecretMemory.free(cell)
    }

    /// Whether the system locked the memory: it can't reach a swap device.
    public var isLocked: Bool { unsafe cell.isLocked }

    /// Lends the bytes to a closure, which must not let the pointer out nor keep a copy.
    public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: cell.base, count: byteCount))
    }

    /// A second secret with the same bytes.
    public borrowing func duplicate() -> SecretBytes {
        unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: cell.base, count: byteCount))
    }

    /// Whether both hold the same bytes, in a time that depends on the length alone. Lengths are compared openly.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        unsafe byteCount == other.byteCount && CRYPTO_memcmp(cell.base, other.cell.base, byteCount) == 0
    }

    /// Overwrites the bytes with zeros, as the end of the value does; the length stays.
    package mutating func wipe() {
        unsafe OPENSSL_cleanse(cell.base, byteCount)
    }
}
