/// A secret that several values hold together, such as the credential that redirects and retries of one handshake use again.
///
/// Wiped when the last reference goes. No description has its content.
public final class SharedSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret.
    package let secret: SecretBytes

    /// Takes ownership of a secret.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// The number of bytes.
    public var byteCount: Int { secret.byteCount }

    /// Lends the bytes to a closure, which must not let the pointer escape nor keep a copy.
    public func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe secret.withUnsafeBytes(body)
    }

    /// Returns a second secret with the same bytes.
    public func duplicate() -> SecretBytes { secret.duplicate() }

    /// Does the work of a comparison with a password where there is none to compare with.
    ///
    /// The answer to an unknown user then takes as long as one to a known user.
    public func compareInVain() { _ = secret.isEqual(to: secret.duplicate()) }

    /// A fixed text, without the content.
    public var description: String { "(secret)" }
    /// A fixed text, without the content.
    public var debugDescription: String { "(secret)" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
