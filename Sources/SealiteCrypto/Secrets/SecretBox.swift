internal import Synchronization

/// The one box that a secret travels in where a noncopyable value can't: through continuations, task groups, tables.
///
/// It is emptied once. A box that nobody empties wipes its secret when it goes.
public final class SecretBox: Sendable {
    private let content: Mutex<SecretBytes?>

    /// Puts a secret in a box.
    public init(_ secret: consuming SecretBytes) {
        content = Mutex(secret)
    }

    /// Takes the secret out; nil when someone did before. Safe from any thread: one caller gets it.
    public func take() -> SecretBytes? {
        content.withLock { $0.take() }
    }
}
