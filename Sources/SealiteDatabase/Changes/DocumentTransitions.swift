internal import SealiteJSON

/// An asynchronous sequence of the changes of a collection since the sequence was created, with the documents before
/// and after, delivered as ``CollectionChanges`` are.
///
/// Several changes of a document since the last element are merged into one. The earlier state of a document is known
/// for changes that this process makes, sync included, for up to 16 MiB of documents that wait for delivery.
package struct DocumentTransitions: AsyncSequence, Sendable {
    /// Changes of documents, each document once, in the order of their last changes, purged documents last.
    package typealias Element = [DocumentTransition]
    static let pageSize = 100

    private let collection: Collection
    private let watch: ChangeWatch
    private let start: Result<ChangePosition, any Error>

    init(_ collection: Collection) {
        self.collection = collection
        // The watch precedes the read: a commit between the two steps is then delivered, not missed.
        let watch = ChangeWatch(
            collection.database, collection: collection.number, namesPurges: true, wantsEarlierStates: true)
        self.watch = watch
        start = Result {
            try collection.database.reading { connection in
                let position = try collection.position(connection)
                watch.subscription.begin(at: position.sequence)
                return position
            }
        }
    }

    /// Returns an iterator that starts with the first change after the asynchronous sequence was created.
    package func makeAsyncIterator() -> Iterator { Iterator(collection: collection, watch: watch, start: start) }

    /// An iterator over the changes of the collection, in their order.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let collection: Collection
        fileprivate let watch: ChangeWatch
        fileprivate var start: Result<ChangePosition, any Error>

        /// Waits for changes and returns them; nil if the sequence has ended.
        package mutating func next() async throws -> [DocumentTransition]? {
            var position = try start.get()
            while await watch.wait() {
                do {
                    let look = try await Look(collection, position)
                    let transitions = look.transitions(watch.subscription, &position)
                    start = .success(position)
                    if !transitions.isEmpty { return transitions }
                } catch let error as DatabaseError where error.code == .notOpen || error.code == .cancelled {
                    return nil
                }
            }
            return nil
        }
    }

    /// The changes of a collection after a position, read from one snapshot of the database.
    private struct Look: Sendable {
        let documents: [(record: DocumentChangeRecord, document: Document?)]
        let purges: Int64
        let lastSequence: Int64

        init(_ collection: Collection, _ position: ChangePosition) async throws {
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
            _ subscription: Subscription, _ position: inout ChangePosition
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

extension Collection {
    /// The changes of this collection from now on, with the documents before and after.
    package var transitions: DocumentTransitions { DocumentTransitions(self) }
}

/// A change of a document, as a subscriber to the collection receives it: the document that the subscriber knew, and
/// the present one.
package struct DocumentTransition: Sendable {
    /// The state of a document before a change.
    package enum Before: Sendable {
        /// There was no document.
        case missing
        /// A document with these properties, in JSONB.
        case stored([UInt8])
        /// The earlier state isn't known, because another process changed the document or there were too many changes.
        case unknown
    }

    /// The document's id.
    package let id: String
    /// The document as the subscriber knows it: as it was last delivered, or as it was when the subscription began.
    package let before: Before
    /// The present document; nil if it was deleted or purged.
    package let after: Document?
    /// A Boolean value that says whether a change after `before` replaced the whole document by another one.
    package let isReplaced: Bool

    /// A Boolean value that says whether the present document may differ from the one that the subscriber knows; false
    /// if both exist and have the same properties, or if neither exists.
    var isChange: Bool {
        switch (before, after) {
        case (.missing, nil): false
        case (.stored(let body), let after?): body != after.body
        default: true
        }
    }
}
