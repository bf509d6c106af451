// Names of Couchbase Lite that differ from Swift's conventions, as forwarding aliases.

extension ReplicatorConfiguration {
    /// ``purgesInaccessibleDocuments``, under Couchbase Lite's name.
    public var enableAutoPurge: Bool {
        get { purgesInaccessibleDocuments }
        set { purgesInaccessibleDocuments = newValue }
    }

    /// ``maximumAttemptCount``, under Couchbase Lite's name.
    public var maxAttempts: Int {
        get { maximumAttemptCount }
        set { maximumAttemptCount = newValue }
    }

    /// ``maximumAttemptDelay``, under Couchbase Lite's name.
    public var maxAttemptWaitTime: Duration {
        get { maximumAttemptDelay }
        set { maximumAttemptDelay = newValue }
    }
}
