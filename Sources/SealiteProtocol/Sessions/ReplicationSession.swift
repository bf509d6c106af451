/// The session of either side of a connection: a value that is told of each event and returns the actions that follow.
///
/// Nothing is done inside; time is given. After `SessionAction.close` every call returns nothing.
package protocol ReplicationSession: Sendable {
    /// The status now.
    var status: SessionStatus { get }
    /// Bytes that the peer makes the session hold: received revisions that aren't stored yet, filters, revisions that it wants with
    /// the ancestors that it has of them, and what is known of attachments.
    var received: ReceivedByteCounts { get }
    /// A Boolean value that says whether the session serves peers that the application doesn't choose, and remembers nothing of
    /// them: requests to the database that haven't begun are dropped once the peer has left, and nothing more of it is read.
    static var dropsWorkOfEndedConnections: Bool { get }
    /// The time at which `wake(at:)` is to be called, if nothing else happens before.
    var deadline: Moment? { get }
    /// Sets the bytes of revisions that wait for attachments above which further ones are refused.
    mutating func limitAttachmentWait(to byteCount: Int)
    /// The connection stands.
    mutating func start(at now: Now) -> [SessionAction]
    /// The peer sent a request.
    mutating func receive(_ request: BLIPRequest, at now: Now) -> [SessionAction]
    /// The peer sent a request that was too large; it was refused already.
    mutating func reject(_ request: BLIPRequest, _ error: BLIPError, at now: Now) -> [SessionAction]
    /// Something that was asked for has ended.
    mutating func finish(_ task: TaskID, _ result: TaskResult, at now: Now) -> [SessionAction]
    /// The reply to a request was too large to be taken.
    mutating func rejectReply(to task: TaskID, _ error: BLIPError, at now: Now) -> [SessionAction]
    /// A time came that `deadline` named.
    mutating func wake(at now: Now) -> [SessionAction]
    /// A local document of a collection changed.
    mutating func localChanged(collection index: Int, at now: Now) -> [SessionAction]
    /// The application wants the session to end.
    mutating func stop(at now: Now) -> [SessionAction]
    /// The connection is gone. What was under way is forgotten.
    mutating func disconnected() -> [SessionAction]
}

/// The time that a session's owner gives it.
package struct Now: Sendable, Hashable {
    /// For intervals.
    var moment: Moment
    /// Seconds since 1970, for people.
    var unixSeconds: UInt64

    package init(moment: Moment, unixSeconds: UInt64) {
        self.moment = moment
        self.unixSeconds = unixSeconds
    }
}
