internal import SealiteConcurrency
internal import SealiteProtocol
internal import SealiteTransport
internal import Synchronization

/// A flag that the session sets once and queued work reads.
final class CancellationFlag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
