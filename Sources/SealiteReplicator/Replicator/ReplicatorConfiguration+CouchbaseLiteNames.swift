// Names of Couchbase Lite that differ from Swift's conventions, as forwarding aliases.

extension ReplicatorConfiguration {
    /// The same as ``purgesInaccessibleDocuments``, under the name that Couchbase Lite uses.
    public var enableAutoPurge: Bool {
        get { purgesInaccessibleDocuments }
        set { purgesInaccessibleDocuments = newValue }
    }

    /// The same as ``maximumAttemptCount``, under the name that Couchbase Lite uses.
    public var maxAttempts: Int {
        get { maximumAttemptCount }
        set { maximumAttemptCount = newValue }
    }

    /// The same as ``maximumAttemptDelay``, under the name that Couchbase Lite uses.
    public var maxAttemptWaitTime: Duration {
        get { maximumAttemptDelay }
        set { maximumAttemptDelay = newValue }
    }
}
