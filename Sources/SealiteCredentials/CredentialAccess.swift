/// How far a store may go to answer: whether it may ask the person, and how long it may take.
public struct CredentialAccess: Sendable, Hashable {
    /// Whether a prompt may be shown, to unlock a collection for example.
    public var allowsInteraction: Bool
    /// The time after which the call ends with `timedOut`, waiting for other calls included.
    public var timeLimit: Duration

    /// Makes an access.
    public init(allowsInteraction: Bool, timeLimit: Duration) {
        self.allowsInteraction = allowsInteraction
        self.timeLimit = timeLimit
    }

    /// No prompt, 2 seconds: what is locked stays locked. Long enough for a provider that has to be started first.
    public static let silent = CredentialAccess(allowsInteraction: false, timeLimit: .seconds(2))
    /// A prompt if need be, 60 seconds: for programs with a person in front of them.
    public static let interactive = CredentialAccess(allowsInteraction: true, timeLimit: .seconds(60))
}
