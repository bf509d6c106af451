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
