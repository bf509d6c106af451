internal import Synchronization

/// The one box in which a secret, or a key made of one, travels where a noncopyable value can't: through closures and continuations.
///
/// It is emptied once. A box that nobody empties wipes its content when it goes. Where several hold a secret together, that is a
/// ``SharedSecret``.
package final class SecretBox<Content: ~Copyable & Sendable>: Sendable {
    private let content: Mutex<Content?>

    /// Puts a secret in a box.
    package init(_ secret: consuming Content) {
        content = Mutex(secret)
    }

    /// Takes the secret out; nil when it was taken before. Safe from any thread: one caller gets it.
    package func take() -> Content? {
        content.withLock { $0.take() }
    }
}
