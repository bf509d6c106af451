internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteCredentials
internal import SealiteFile
internal import SealiteDatabase

/// The way in which a session ended.
enum SessionEnd: Sendable {
    /// This side closed the connection, possibly because of an error.
    case closed(SessionError?)
    /// The peer closed the connection, or it was lost.
    case disconnected(TransportError)
}
