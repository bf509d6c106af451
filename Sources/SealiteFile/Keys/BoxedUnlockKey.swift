import Synchronization

/// An unlock key that travels through closures. It is taken out once.
package final class BoxedUnlockKey: Sendable {
    private let box: Mutex<UnlockKey?>

    package init(_ key: consuming UnlockKey) { box = Mutex(key) }

    static let emptied = SealedFileError(.internalFailure, "the key was used already")

    /// Takes the key out.
    package func take() throws(SealedFileError) -> UnlockKey {
        guard let key = box.withLock({ $0.take() }) else { throw Self.emptied }
        return key
    }
}
