internal import SealiteRevisions

// MARK: - Following a remote

/// The result of recording a revision as a remote's current one.
enum RemoteRevisionOutcome {
    /// The revision isn't stored, or its body isn't.
    case unknown
    case known
    case conflict
}
