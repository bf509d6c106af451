internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteCredentials
internal import SealiteFile
internal import SealiteDatabase

/// A report of a running session to its owner, a replicator or a listener.
enum SessionReport: Sendable {
    case documents([DocumentEvent])
    case status(SessionStatus)
    /// A request to the database failed; the first failure of its kind in the session.
    case failed(StoreFailure)
}
