/// The session of either side of a connection: a value that receives each event and returns the actions that follow.
///
/// It performs no I/O, and the caller passes the time. After a call has returned `SessionAction.close`, the session
/// expects no further event.
package protocol ReplicationSession: Sendable {
    /// The status of the session.
    var status: SessionStatus { get }
    /// The memory that the peer makes the session use: received revisions that aren't stored yet, filters, wanted
    /// revisions with their known ancestors, and records of attachments.
    var received: ReceivedByteCounts { get }
    /// A Boolean value that says whether the session serves peers that the application didn't choose and keeps no state
    /// about such a peer: once the peer has disconnected, requests to the database that haven't begun are dropped, and
    /// its remaining messages are not read.
    static var dropsWorkOfEndedConnections: Bool { get }
    /// The time at which to call `wake(at:)` unless another event occurs first; nil if no such call is needed.
    var deadline: Moment? { get }
    /// Sets the number of bytes of revisions that wait for attachments above which further revisions are refused.
    mutating func limitAttachmentWait(to byteCount: Int)
    /// Called when the connection is open.
    mutating func start(at now: Now) -> [SessionAction]
    /// Called with a request of the peer.
    mutating func receive(_ request: BLIPRequest, at now: Now) -> [SessionAction]
    /// Called for a request of the peer that was too large and has been refused.
    mutating func reject(_ request: BLIPRequest, _ error: BLIPError, at now: Now) -> [SessionAction]
    /// Called with the result of a requested task.
    mutating func finish(_ task: TaskID, _ result: TaskResult, at now: Now) -> [SessionAction]
    /// Called when the reply to a request was too large to be received.
    mutating func rejectReply(to task: TaskID, _ error: BLIPError, at now: Now) -> [SessionAction]
    /// Called at the time that `deadline` named.
    mutating func wake(at now: Now) -> [SessionAction]
    /// Called when a local document of a collection has changed.
    mutating func localChanged(collection index: Int, at now: Now) -> [SessionAction]
    /// Called when the application ends the session.
    mutating func stop(at now: Now) -> [SessionAction]
    /// Called when the connection is lost. Work in progress is forgotten.
    mutating func disconnected() -> [SessionAction]
}
