internal import SealiteCredentials
internal import Synchronization

/// The peer's certificates in a TLS handshake and the fault found in them, shared by the event loop and the task that
/// checks the certificates. Thread-safe.
final class HandshakeRecord: Sendable {
    private struct State {
        var certificates: [[UInt8]] = []
        var fault: TransportError?
    }
    private let state = Mutex(State())

    /// The peer's certificates, leaf first, whether or not they were accepted.
    var certificates: [[UInt8]] {
        get { state.withLock { $0.certificates } }
        set { state.withLock { $0.certificates = newValue } }
    }

    /// The reason for which the peer's certificates were refused; nil if they were not.
    var fault: TransportError? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }
}
