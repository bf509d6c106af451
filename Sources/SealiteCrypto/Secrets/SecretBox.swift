internal import Synchronization

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
