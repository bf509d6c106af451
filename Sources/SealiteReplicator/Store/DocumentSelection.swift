public import SealiteDatabase
internal import SealiteJSON
internal import SealiteProtocol
package import SealiteRevisions
internal import Synchronization

/// Selects the documents of a collection that are replicated. The selection is evaluated for each document, so it may
/// change during a session.
///
/// The announcement of a document that isn't selected is ignored and not repeated: a document that joins the selection
/// later must be looked up, that is, compared with the remote by its id. The methods are called on threads of the
/// replicator and may read and change the database.
package protocol DocumentSelection: Sendable {
    /// The name of the selection in the identity of replication checkpoints, used instead of document ids.
    var name: String { get }

    /// Returns for each document, given by id, whether it is selected, in the same order.
    func selects(_ ids: [String]) throws -> [Bool]

    /// Called before a session offers its first changes to the remote; not called for a session that offers none.
    ///
    /// - Returns: an object that is released when the session has ended.
    func beginSession() throws -> any Sendable

    /// Returns the properties, as JSON text, that are stored for a revision from the remote; nil if the revision isn't
    /// stored.
    func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]?

    /// Returns the properties, as JSON text, that are sent for a revision.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - json: the stored properties; if `isDelta` is true, the delta to them, and so is the result.
    ///   - isDeleted: whether the revision is a tombstone.
    ///   - isDelta: whether the revision is sent as a delta.
    /// - Returns: what is sent.
    /// - Throws: errors from reading.
    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool, isDelta: Bool) throws -> [UInt8]

    /// Returns the properties, as JSON text, that the remote has for the revision that it is known to have, whose stored
    /// properties are `json`: a delta of the remote is applied to them.
    func remoteForm(_ id: String, _ json: [UInt8]) throws -> [UInt8]

    /// Called with the revisions that the remote has refused, or with those of the remote that couldn't be stored. The
    /// selection must store the latter durably, because they aren't asked for again.
    func refused(_ refusals: [Refusal]) throws

    /// Called when access to a document was lost, so that it may be removed. A document with changes that the remote
    /// doesn't have must be kept.
    ///
    /// - Returns: whether the document was removed locally.
    func lostAccess(_ id: String) throws -> Bool
}

/// Returns whether a document is replicated or, with the flag ``DocumentFlags/accessRemoved``, whether it is purged. It
/// is called on threads of the replicator, at any time and possibly several times for one revision, so its result
/// should depend on the document alone.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool

/// The special properties of a document that a filter examines, or that was replicated.
public struct DocumentFlags: OptionSet, Sendable, Hashable {
    /// The flags as bits.
    public let rawValue: Int

    /// Creates flags from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The document is deleted.
    public static let deleted = DocumentFlags(rawValue: 1)
    /// Access to the document was lost. If the pull filter returns true for the document, it is purged.
    public static let accessRemoved = DocumentFlags(rawValue: 2)
}

/// Records what one session does with a collection. Before the session's first request is answered, it records in the
/// database that the collection was replicated. If the documents are chosen by a `DocumentSelection`, it informs the
/// selection before the session offers its first changes, and again, by releasing the selection's object, when the
/// session has ended and this object is released.
final class ReplicationNote: Sendable {
    private struct State {
        var isMade = false
        var session: (any Sendable)?
    }

    private let isMade = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Records in the database that the collection was replicated, unless this object has done so already.
    func make(of collection: SealiteDatabase.Collection) throws {
        guard !isMade.load(ordering: .acquiring) else { return }
        try state.withLock { state in
            guard !state.isMade else { return }
            try collection.noteReplication()
            state.isMade = true
        }
        isMade.store(true, ordering: .releasing)
    }

    /// Returns the changes to offer, which `page` reads. Before the first changes are returned, the selection is
    /// informed that the session begins, and the changes are read again, because one may have been withdrawn in
    /// between.
    func offering(_ selection: (any DocumentSelection)?, _ page: () throws -> ChangePage) throws -> ChangePage {
        guard let selection else { return try page() }
        let wasOffering = state.withLock { $0.session != nil }
        let found = try page()
        if wasOffering || found.changes.isEmpty { return found }
        try state.withLock { state in
            if state.session == nil { state.session = try selection.beginSession() }
        }
        return try page()
    }
}

// The effect of a selection on announced and received revisions.
extension CollectionStore {
    /// Compares the announced revisions of selected documents with the stored ones, and returns the decisions in the
    /// order of the rows. The revisions of other documents aren't requested.
    func compareSelected(_ rows: [ChangesRequest.Row]) throws -> [AnnouncementDecision] {
        guard let selection else { return try compare(rows) }
        let isChosen = try selection.selects(rows.map(\.documentID))
        assert(isChosen.count == rows.count, "a selection decides on each document")
        var decisions = try compare(zip(rows, isChosen).filter(\.1).map(\.0))[...]
        return isChosen.map { $0 ? decisions.popFirst() ?? .known : .known }
    }

    /// Inserts the revisions of documents that are selected at that time, in one transaction with the check of the
    /// selection, and returns the outcome of each revision, in order. Other revisions, and those for which the
    /// selection returns no properties to store, are refused with HTTP 403.
    func insertSelected(
        _ revisions: [IncomingRevision], _ given: GivenAttachments
    ) throws -> [RevisionOutcome] {
        guard let selection else { return try insert(revisions, given) }
        return try database.write { _ in
            let isChosen = try selection.selects(revisions.map(\.documentID))
            assert(isChosen.count == revisions.count, "a selection decides on each document")
            var outcomes: [RevisionOutcome] = []
            var rest = zip(revisions, isChosen).map { $0 }[...]
            while !rest.isEmpty {
                var taken: [Result<IncomingRevision, Undesired>] = []
                var byteCount = 0
                while byteCount < Self.preparedByteLimit, let (revision, isChosen) = rest.popFirst() {
                    let next = isChosen ? try taking(revision, by: selection) : .failure(.unselected)
                    if case .success(let revision) = next { byteCount += revision.body.count }
                    taken.append(next)
                }
                var inserted = try insert(taken.compactMap { try? $0.get() }, given)[...]
                outcomes += taken.map { item in
                    switch item {
                    case .success: inserted.popFirst() ?? Undesired.unselected.outcome
                    case .failure(let reason): reason.outcome
                    }
                }
                assert(inserted.isEmpty, "each revision has an outcome")
            }
            return outcomes
        }
    }

    /// The outcome of a revision that a selection doesn't take.
    private struct Undesired: Error {
        let outcome: RevisionOutcome

        static let unselected = Undesired(
            outcome: .refused(status: 403, reason: "the document isn't one of those that are replicated"))
    }

    /// Returns a revision as it is stored, with its whole properties in the selection's form.
    private func taking(
        _ revision: IncomingRevision, by selection: any DocumentSelection
    ) throws -> Result<IncomingRevision, Undesired> {
        var taken = revision
        if revision.deltaSource != nil {
            let whole = try view.body(of: revision) { try selection.remoteForm(revision.documentID, $0) }
            switch whole {
            case .success(let body):
                (taken.body, taken.deltaSource) = (try JSONBSerializer.text(of: body.span, order: .stored), nil)
            case .failure(let refusal):
                return .failure(Undesired(outcome: .deltaRefused(reason: refusal.reason)))
            }
        }
        guard let body = try selection.incoming(revision.documentID, taken.body, isDeleted: revision.isDeleted) else {
            return .failure(.unselected)
        }
        taken.body = body
        return .success(taken)
    }
}
