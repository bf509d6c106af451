/// The conditions of a call to a store: whether a prompt may be shown, and the time limit.
public struct CredentialAccess: Sendable, Hashable {
    /// A Boolean value that says whether a prompt may be shown, for example to unlock a collection.
    public var allowsInteraction: Bool
    /// The time after which a call ends with the error `timedOut`. With the Secret Service, it includes the time spent
    /// waiting for other calls of this process; with a vault, it limits only the wait for another process's lock.
    public var timeLimit: Duration

    /// Creates the conditions of a call to a store.
    public init(allowsInteraction: Bool, timeLimit: Duration) {
        self.allowsInteraction = allowsInteraction
        self.timeLimit = timeLimit
    }

    /// No prompt, so that a locked store stays locked, and a time limit of 10 seconds, which is long enough for a
    /// provider of the Secret Service that must be started first.
    public static let silent = CredentialAccess(allowsInteraction: false, timeLimit: .seconds(10))
    /// A prompt if needed, and a time limit of 60 seconds: for interactive programs.
    public static let interactive = CredentialAccess(allowsInteraction: true, timeLimit: .seconds(60))
}
