internal import SealiteCredentials
internal import Synchronization

/// The certificates of a handshake and the fault found in them, shared by the event loop and the check of certificates. Thread-safe.
final class HandshakeRecord: Sendable {
    private struct State {
        var certificates: [[UInt8]] = []
        var fault: TransportError?
        var isSecured = false
    }
    private let state = Mutex(State())

    /// The peer's certificates, leaf first, whether or not they were accepted.
    var certificates: [[UInt8]] {
        get { state.withLock { $0.certificates } }
        set { state.withLock { $0.certificates = newValue } }
    }

    /// The reason for which the peer's certificates were refused.
    var fault: TransportError? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// A Boolean value that indicates whether this side's part of the TLS handshake is done.
    var isSecured: Bool {
        get { state.withLock { $0.isSecured } }
        set { state.withLock { $0.isSecured = newValue } }
    }
}
