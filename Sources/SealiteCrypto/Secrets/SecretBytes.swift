internal import COpenSSL
internal import Synchronization

/// Secret bytes: a key, a passphrase, a token.
///
/// They are stored outside the Swift heap in memory that is locked against swapping (if the limit on locked memory
/// allows it: ``isLocked``), excluded from core dumps, and wiped at the end of the value's lifetime. A secret can't be
/// accidentally copied, printed, compared in variable time or put in a collection, because the type has neither copies
/// nor a description. Secrets of up to 1 KiB share pages, so that a limit of 64 KiB of locked memory suffices for many
/// hundreds of keys.
///
/// A child of fork(2) inherits the bytes, but its copy isn't locked.
@safe
// Sendable: the memory has one owner, this value, and is written only in initializers, in deinit and, with exclusive
// access, in `wipe()`.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    /// The number of bytes.
    public let byteCount: Int
    private let cell: SecretMemory.Cell
    /// The address of the bytes, for this module's calls to OpenSSL.
    var base: UnsafeMutableRawPointer { unsafe cell.base }
    /// The bytes, for this module's calls to OpenSSL; valid during the lifetime of this value.
    var buffer: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: cell.base, count: byteCount) }

    /// Creates a secret whose bytes a closure writes; they are zero when it is called.
    ///
    /// - Parameters:
    ///   - byteCount: the number of bytes, at least 0.
    ///   - body: writes the bytes; must not let the pointer escape. If it throws, the bytes it wrote are wiped.
    /// - Throws: the errors of `body`.
    public init<E: Error>(
        byteCount: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        precondition(byteCount >= 0, "a secret can't have \(byteCount) bytes")
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

    /// Creates a secret with a copy of bytes. The caller is responsible for wiping the original.
    public init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(byteCount: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    /// Creates a secret with a copy of bytes. The caller is responsible for wiping the original.
    public init(copying bytes: borrowing RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Creates a secret with a copy of the bytes of an array.
    ///
    /// The array stays in ordinary memory, which may be swapped or dumped. It can't be wiped, since other copies of it
    /// may exist; its memory contains the secret until it is used for something else.
    public init(copying bytes: [UInt8]) {
        self = unsafe bytes.span.bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Creates a secret with a copy of the bytes of a collection, such as Foundation's `Data`.
    ///
    /// The collection stays in ordinary memory, which may be swapped or dumped, and isn't wiped: `Data` shares its
    /// buffer with its copies and slices. Reset its bytes where no copy exists.
    public init(copying bytes: some Swift.Collection<UInt8>) {
        self = unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Creates a secret with a copy of the UTF-8 of a text, without Unicode normalisation.
    ///
    /// A string can't be wiped: its buffer is shared by its copies, and short texts are in registers and on the stack.
    /// Use it for text that a user interface or a library has as a string anyway; read secrets from files with
    /// `SecretFile`, and from the terminal with `SecretBytes.typed(prompt:)`, which never make a string.
    public init(copying text: String) {
        self.init(copying: text.utf8)
    }

    /// Returns a secret of random bytes, for keys.
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

    /// A Boolean value that says whether the system locked the memory, which then can't be written to a swap device.
    public var isLocked: Bool { unsafe cell.isLocked }

    /// Calls a closure with the bytes, and returns its result. The closure must neither let the pointer escape nor keep
    /// a copy.
    public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: cell.base, count: byteCount))
    }

    /// Returns a second secret with the same bytes.
    public borrowing func duplicate() -> SecretBytes {
        unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: cell.base, count: byteCount))
    }

    /// Returns whether two secrets have the same bytes, in a time that depends only on their length. That the lengths
    /// differ is not hidden.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        unsafe byteCount == other.byteCount && CRYPTO_memcmp(cell.base, other.cell.base, byteCount) == 0
    }

    /// Overwrites the bytes with zeros, as the end of the lifetime does; the length doesn't change.
    package mutating func wipe() {
        unsafe OPENSSL_cleanse(cell.base, byteCount)
    }
}

/// A secret that several values share, such as the credential that redirects and retries of one handshake reuse.
///
/// It is wiped when the last reference is released. Descriptions don't contain its content.
public final class SharedSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret's bytes, which are wiped at the end of this object's lifetime.
    package let secret: SecretBytes

    /// Takes ownership of a secret.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// The number of bytes.
    public var byteCount: Int { secret.byteCount }

    /// Calls a closure with the bytes, and returns its result. The closure must neither let the pointer escape nor keep
    /// a copy.
    public func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe secret.withUnsafeBytes(body)
    }

    /// Returns a second secret with the same bytes.
    public func duplicate() -> SecretBytes { secret.duplicate() }

    /// Compares the secret with a copy of itself and discards the result.
    ///
    /// A server calls this for an unknown user, so that the response takes as long as for a known user, whose password
    /// is compared.
    public func compareInVain() { _ = secret.isEqual(to: secret.duplicate()) }

    /// A fixed text, without the content.
    public var description: String { "(secret)" }
    /// A fixed text, without the content.
    public var debugDescription: String { "(secret)" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A box that carries a secret, or a key made from one, through closures and continuations, where a noncopyable value
/// can't be passed.
///
/// It is emptied once. A box that is never emptied wipes its content at the end of its lifetime. If several values
/// share a secret, use ``SharedSecret``.
package final class SecretBox<Content: ~Copyable & Sendable>: Sendable {
    private let content: Mutex<Content?>

    /// Creates a box with a secret.
    package init(_ secret: consuming Content) {
        content = Mutex(secret)
    }

    /// Removes and returns the secret; nil if it was removed before. Safe from any thread: only one caller gets the
    /// secret.
    package func take() -> Content? {
        content.withLock { $0.take() }
    }
}
