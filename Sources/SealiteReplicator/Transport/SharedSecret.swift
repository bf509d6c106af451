public import SealiteCrypto

/// A secret that several may read: the credential of a request, which redirects and retries of one handshake use again.
///
/// Wiped when the last of them lets go. It has no content in any description.
public final class SharedSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let secret: SecretBytes

    /// Takes a secret over.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// The number of bytes.
    public var byteCount: Int { secret.byteCount }

    /// Lends the bytes to a closure, which must not let the pointer out nor keep a copy.
    public func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe secret.withUnsafeBytes(body)
    }

    /// A second secret with the same bytes.
    public func duplicate() -> SecretBytes { secret.duplicate() }

    /// Does what a comparison with a password does, where there is none to compare with.
    ///
    /// So the answer to a user that isn't known takes as long as one to a user that is.
    public func compareInVain() { _ = secret.isEqual(to: secret.duplicate()) }

    /// Says only that this is a secret.
    public var description: String { "(secret)" }
    /// Says only that this is a secret.
    public var debugDescription: String { "(secret)" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
