/// The limits on a session's concurrent work, and on the memory that its peer may make it use.
package struct SessionLimits: Sendable, Hashable {
    var messages = MessageLimits()
    /// The maximum number of rows in a list of changes or proposals that this side sends.
    var changesPerList = 200
    /// The number of sent lists of changes or proposals without a reply at which no further changes are looked for.
    /// Once all existing changes are announced, the number is one.
    var listsInFlight = 5
    /// The number of sent lists without a reply, of all collections of a connection together, at which no further
    /// changes are looked for.
    var sharedListsInFlight = 64
    /// The number of revisions waiting to be sent at which no further list of changes or proposals is sent.
    var queuedRevisions = 600
    /// The maximum number of revisions that are loaded from the database at once.
    var loadingRevisions = 100
    /// The number of bytes of sent revisions without a reply at which no further revisions are loaded and sent.
    var unansweredByteCount: UInt64 = 2 << 20
    /// The number of sent revisions without a reply at which no further revisions are loaded and sent.
    var unansweredRevisions = 500
    /// The number of bytes of sent revisions without a reply, of all collections of a connection together, at which no
    /// further revisions are loaded and sent.
    var sharedUnansweredByteCount: UInt64 = 8 << 20
    /// The number of sent revisions without a reply, of all collections of a connection together, at which no further
    /// revisions are loaded and sent. The peer may accept 8,192 unanswered requests on a connection.
    var sharedUnansweredRevisions = 2_000
    /// The number of requested revisions that aren't stored yet at which no further list of the peer's changes is
    /// answered.
    var requestedRevisions = 400
    /// The number of requested revisions that aren't stored yet, of all collections of a connection together, at which no
    /// further list of the peer's changes is answered: the peer sends what is requested, whatever its own limits are.
    var sharedRequestedRevisions = 2_000
    /// The maximum number of the peer's lists of changes that wait to be compared with the database; a further one ends
    /// the session.
    var waitingLists = 64
    /// The maximum number of revisions that are inserted together.
    var insertedRevisions = 200
    /// The number of bytes of received revisions at which they are inserted without waiting for others.
    var insertedByteCount = 4 << 20
    /// The time for which received revisions wait for others before they are inserted.
    var insertionDelay: Duration = .milliseconds(2)
    /// The maximum number of attachments that are fetched at once.
    var fetchedAttachments = 8
    /// The maximum number of attachments that are fetched for one revision; one that needs more is refused.
    var neededAttachments = 10_000
    /// The number of bytes of revisions that wait for their attachments, or for an earlier revision of their document,
    /// above which no further list of the peer's changes is answered.
    var heldByteCountForLists = 8 << 20
    /// The number of bytes of revisions that wait for their attachments, or for an earlier revision of their document,
    /// above which further revisions are refused for now. The size of requested revisions isn't known in advance.
    var heldByteCount = 48 << 20
    /// The maximum total size of the document IDs in a peer's subscriptions, in bytes.
    var filterByteCount = 1 << 20
    /// The maximum number of revisions that this side requests, or sends by default, in a history.
    var maxHistory = 50

    init() {}
}
