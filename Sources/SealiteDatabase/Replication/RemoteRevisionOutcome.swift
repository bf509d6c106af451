internal import SealiteRevisions

// MARK: - Following a remote

/// The result of recording that a revision is a remote's current one.
enum RemoteRevisionOutcome {
    /// The revision isn't stored, or its body isn't, so nothing was recorded.
    case unknown
    /// The revision was recorded, or was ignored because it is older than the recorded one; it causes no conflict.
    case known
    /// The revision is recorded, and conflicts with the local current revision until the conflict is resolved.
    case conflict
}
