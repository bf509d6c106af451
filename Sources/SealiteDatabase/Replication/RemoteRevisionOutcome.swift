internal import SealiteRevisions

// MARK: - Following a remote

/// The result of recording that a revision is a remote's current one.
enum RemoteRevisionOutcome {
    /// The revision isn't stored, or its body isn't, so nothing was recorded.
    case unknown
    case known
    case conflict
}
