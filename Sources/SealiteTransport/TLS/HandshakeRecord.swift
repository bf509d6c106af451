internal import SealiteCredentials
internal import Synchronization

/// What TLS showed during a handshake, kept where both the event loop and the check of certificates reach it.
final class HandshakeRecord: Sendable {
    private struct State {
        var certificates: [[UInt8]] = []
        var fault: TransportError?
        var isSecured = false
    }
    private let state = Mutex(State())

    /// The peer's certificates, leaf first; also when they were refused.
    var certificates: [[UInt8]] {
        get { state.withLock { $0.certificates } }
        set { state.withLock { $0.certificates = newValue } }
    }

    /// Why the peer's certificates were refused.
    var fault: TransportError? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// Whether this side's part of the TLS handshake is done.
    var isSecured: Bool {
        get { state.withLock { $0.isSecured } }
        set { state.withLock { $0.isSecured = newValue } }
    }
}
