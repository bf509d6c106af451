/// The limits on a session's concurrent work, and on the memory that its peer may make it use.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// Most rows of a list that is sent.
    var changesPerList = 200
    /// The maximum number of unanswered lists; one once all changes are announced.
    var listsInFlight = 5
    /// The maximum number of revisions that wait to be sent before further lists are made.
    var queuedRevisions = 600
    /// Most revisions that are loaded at once.
    var loadingRevisions = 100
    /// The maximum number of bytes of sent revisions that have no reply yet.
    var unansweredByteCount: UInt64 = 2 << 20
    /// The maximum number of sent revisions that have no reply yet.
    var unansweredRevisions = 500
    /// The number of requested revisions above which no further list is answered.
    var requestedRevisions = 400
    /// The maximum number of the peer's unanswered lists; a further one ends the session.
    var waitingLists = 64
    /// Most revisions that are inserted together, and most bytes of them.
    var insertedRevisions = 200
    var insertedByteCount = 4 << 20
    /// The time for which received revisions wait for others before they are inserted.
    var insertionDelay: Duration = .milliseconds(2)
    /// Most attachments that are fetched at once.
    var fetchedAttachments = 8
    /// Most attachments that are fetched for one revision; one that needs more is refused.
    var neededAttachments = 10_000
    /// The number of bytes of revisions waiting for their attachments above which no further list is answered and
    /// further revisions are refused for now, since the size of requested revisions isn't known in advance.
    var heldByteCountForLists = 8 << 20
    var heldByteCount = 48 << 20
    /// The maximum total size of the document ids in a peer's subscriptions, in bytes.
    var filterByteCount = 1 << 20
    /// Most revisions wanted in a history.
    var maxHistory = 50

    init() {}
}
