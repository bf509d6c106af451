internal import SealiteBase
internal import SealiteProtocol
internal import SealiteTransport
internal import Synchronization

/// A flag that is set once, when a connection or session has ended, and by which queued work finds that it is no longer
/// needed. Thread-safe.
final class CancellationFlag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
