/// The limits on a session's concurrent work, and on the memory that its peer may make it use.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// The maximum number of rows of a list that is sent.
    var changesPerList = 200
    /// The maximum number of unanswered lists. Once all existing changes are announced, the maximum is one.
    var listsInFlight = 5
    /// The number of revisions waiting to be sent at which no further list of changes is sent.
    var queuedRevisions = 600
    /// The maximum number of revisions that are loaded at once.
    var loadingRevisions = 100
    /// The maximum number of bytes of sent revisions that have no reply yet.
    var unansweredByteCount: UInt64 = 2 << 20
    /// The maximum number of sent revisions that have no reply yet.
    var unansweredRevisions = 500
    /// The number of requested revisions above which no further list is answered.
    var requestedRevisions = 400
    /// The maximum number of the peer's unanswered lists; a further one ends the session.
    var waitingLists = 64
    /// The maximum number of revisions that are inserted together, followed by the maximum number of their bytes.
    var insertedRevisions = 200
    var insertedByteCount = 4 << 20
    /// The time for which received revisions wait for others before they are inserted.
    var insertionDelay: Duration = .milliseconds(2)
    /// The maximum number of attachments that are fetched at once.
    var fetchedAttachments = 8
    /// The maximum number of attachments that are fetched for one revision; one that needs more is refused.
    var neededAttachments = 10_000
    /// The number of bytes of revisions waiting for their attachments above which no further list is answered and
    /// further revisions are refused for now, since the size of requested revisions isn't known in advance.
    var heldByteCountForLists = 8 << 20
    var heldByteCount = 48 << 20
    /// The maximum total size of the document ids in a peer's subscriptions, in bytes.
    var filterByteCount = 1 << 20
    /// The maximum number of revisions wanted in a history.
    var maxHistory = 50

    init() {}
}
