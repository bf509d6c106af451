internal import SealiteJSON

/// A change of a document: what a follower knew of it, and what it is now.
package struct DocumentTransition: Sendable {
    /// The document before.
    package enum Before: Sendable {
        /// There was none.
        case missing
        /// A document with these properties, in JSONB.
        case stored([UInt8])
        /// Not known: another process made a change, or there were too many.
        case unknown
    }

    /// The document's id.
    package let id: String
    /// The document as the follower knows it: as it was delivered last, or as it was when the following began.
    package let before: Before
    /// The document now; nil where it was deleted or purged.
    package let after: Document?
    /// True where a change since replaced the whole document by another one.
    package let isReplaced: Bool
}

/// The changes of a collection from the moment this was asked for, with the documents before and after; see ``CollectionChanges`` for when and how.
///
/// Several changes of a document since the last element are one. What a document was before is known of changes that this process makes, sync among them, in up to 16 MiB
/// of documents that wait for delivery.
package struct DocumentTransitions: AsyncSequence, Sendable {
    /// Changes of documents, each document once, in order of their last changes; purged ones come last.
    package typealias Element = [DocumentTransition]
    static let pageSize = 100

    private let registration: FeedRegistration
    private let start: Result<CollectionChanges.Iterator.Position, any Error>

    init(_ collection: Collection) {
        // Registered first: a commit between the two is then seen, not missed.
        let registration = FeedRegistration(collection, namesPurges: true, wantsEarlierStates: true)
        self.registration = registration
        start = Result {
            try collection.database.reading { connection in
                let position = CollectionChanges.Iterator.Position(
                    sequence: try collection.lastSequence(connection), purges: try collection.purgeCount(connection))
                registration.subscription.begin(at: position.sequence)
                return position
            }
        }
    }

    /// Starts from the moment the sequence was asked for.
    package func makeAsyncIterator() -> Iterator { Iterator(registration: registration, start: start) }

    /// Delivers changes, the earlier ones first.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let registration: FeedRegistration
        fileprivate var start: Result<CollectionChanges.Iterator.Position, any Error>

        /// The next changes; nil when the sequence ended.
        package mutating func next() async throws -> [DocumentTransition]? {
            var position = try start.get()
            while await registration.subscription.wait() {
                registration.subscription.willLook()
                do {
                    let look = try await Look(registration.collection, position)
                    let transitions = look.transitions(registration.subscription, &position)
                    start = .success(position)
                    if !transitions.isEmpty { return transitions }
                } catch let error as DatabaseError where error.code == .notOpen || error.code == .cancelled {
                    return nil
                }
            }
            return nil
        }
    }

    /// What a collection has that is new behind a position, out of one state of the database.
    private struct Look: Sendable {
        let documents: [(record: DocumentChangeRecord, document: Document?)]
        let purges: Int64
        let lastSequence: Int64

        init(_ collection: Collection, _ position: CollectionChanges.Iterator.Position) async throws {
            (documents, purges, lastSequence) = try await collection.database.read {
                try collection.database.reading { connection in
                    let records = try collection.changes(since: position.sequence, pageSize, true, connection)
                    return (
                        try records.map { record in
                            (record, record.isDeleted ? nil : try collection.document(record.id, connection))
                        },
                        try collection.purgeCount(connection), try collection.lastSequence(connection)
                    )
                }
            }
        }

        func transitions(
            _ subscription: Subscription, _ position: inout CollectionChanges.Iterator.Position
        ) -> [DocumentTransition] {
            var seen: Set<ExactText> = []
            var transitions = documents.map { record, document in
                seen.insert(ExactText(record.id))
                let sequence = Int64(record.sequence)
                return subscription.transition(record.id, through: sequence, row: sequence, document)
            }
            for id in subscription.takePurgedIDs(after: position.purges, through: purges)
            where seen.insert(ExactText(id)).inserted {
                transitions.append(subscription.transition(id, through: lastSequence, row: nil, nil))
            }
            let isLast = documents.count < pageSize
            position.sequence = isLast ? lastSequence : documents.last.map { Int64($0.record.sequence) } ?? lastSequence
            position.purges = Swift.max(purges, position.purges)
            subscription.advance(to: position.sequence, isLast: isLast)
            if !isLast { subscription.wake() }
            return transitions.filter(\.isChange)
        }
    }
}

extension DocumentTransition {
    /// False where the follower knows of a document, which is there as it was.
    fileprivate var isChange: Bool {
        guard case .stored(let body) = before, let after else { return true }
        return body != after.body
    }
}

extension Collection {
    /// The changes of this collection from now on, with the documents before and after.
    package var transitions: DocumentTransitions { DocumentTransitions(self) }
}
