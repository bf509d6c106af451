internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteCredentials
internal import SealiteFile
internal import SealiteDatabase

/// A report of a session to its owner.
enum SessionReport: Sendable {
    case documents([DocumentEvent])
    case status(SessionStatus)
}
