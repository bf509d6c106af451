internal import SealiteJSON

/// A set of changed documents of a collection, each named once.
public struct CollectionChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The ids of documents that were saved, deleted or purged since the previous delivery.
    public let documentIDs: [String]
    /// The ids of purged documents among `documentIDs`, also of documents that were saved again since.
    public let purgedDocumentIDs: [String]
    /// A Boolean value that says whether documents were purged that `documentIDs` doesn't name, because another process
    /// purged them or because they were too many.
    public let hasUnnamedPurges: Bool
}

/// A document that was saved, deleted or purged.
public struct DocumentChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The document's id.
    public let documentID: String
}

/// The registration of a subscription, which lasts as long as a sequence or an iterator refers to it.
final class FeedRegistration: Sendable {
    let collection: Collection
    let subscription: Subscription

    init(_ collection: Collection, namesPurges: Bool, wantsEarlierStates: Bool = false) {
        self.collection = collection
        subscription = Subscription(
            collection.database, collection: collection.number, namesPurges: namesPurges,
            wantsEarlierStates: wantsEarlierStates)
        collection.database.follow(subscription)
    }

    deinit { collection.database.unfollow(subscription) }
}

/// The changes of a collection from the moment at which the sequence was requested. Changes of this process arrive at
/// once, changes of other processes within the configured polling interval.
///
/// Buffering: none. A consumer that is slower than the writers gets the accumulated changes in one element, each
/// document once, up to 1,000 documents in an element. Nothing is lost, and memory doesn't grow. Cancelling the task,
/// closing the database or deleting the collection ends the sequence. It can be iterated once.
public struct CollectionChanges: AsyncSequence, Sendable {
    /// A set of changes.
    public typealias Element = CollectionChange
    static let pageSize = 1000

    let registration: FeedRegistration
    let start: Result<Iterator.Position, any Error>

    init(_ collection: Collection) {
        // The registration comes first: a commit between the two steps is then delivered, not missed.
        registration = FeedRegistration(collection, namesPurges: true)
        start = Result {
            try collection.database.reading { connection in
                Iterator.Position(
                    sequence: try collection.lastSequence(connection), purges: try collection.purgeCount(connection))
            }
        }
    }

    /// Returns an iterator that starts at the moment at which the sequence was requested.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, start: start) }

    /// Delivers one change after another.
    public struct Iterator: AsyncIteratorProtocol {
        struct Position: Sendable {
            var sequence: Int64
            var purges: Int64
        }

        let registration: FeedRegistration
        var start: Result<Position, any Error>

        /// Returns the next change; nil if the sequence has ended.
        public mutating func next() async throws -> CollectionChange? {
            var position = try start.get()
            while await registration.subscription.wait() {
                registration.subscription.willLook()
                let change: CollectionChange?
                do {
                    (change, position) = try await look(position)
                } catch let error as DatabaseError where error.code == .notOpen || error.code == .cancelled {
                    return nil
                }
                start = .success(position)
                if let change { return change }
            }
            return nil
        }

        private func look(_ position: Position) async throws -> (CollectionChange?, Position) {
            let collection = registration.collection
            let (records, purges) = try await collection.database.readers.read { connection in
                (
                    try collection.changes(since: position.sequence, CollectionChanges.pageSize, true, connection),
                    try collection.purgeCount(connection)
                )
            }
            if records.count == CollectionChanges.pageSize { registration.subscription.wake() }
            let purgedIDs = registration.subscription.takePurgedIDs(after: position.purges, through: purges)
            let unnamed = purges - position.purges > Int64(purgedIDs.count)
            let next = Position(
                sequence: records.last.map { Int64($0.sequence) } ?? position.sequence,
                purges: Swift.max(purges, position.purges))
            if records.isEmpty, purgedIDs.isEmpty, !unnamed { return (nil, next) }
            var seen: Set<ExactText> = []
            let ids = (records.map(\.id) + purgedIDs).filter { seen.insert(ExactText($0)).inserted }
            let change = CollectionChange(
                collection: collection, documentIDs: ids, purgedDocumentIDs: purgedIDs, hasUnnamedPurges: unnamed)
            return (change, next)
        }
    }
}

/// The changes of one document from the moment at which the sequence was requested, delivered as ``CollectionChanges``
/// are.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// A change of the document.
    public typealias Element = DocumentChange

    let registration: FeedRegistration
    let id: String
    let start: Result<Int64?, any Error>

    init(_ collection: Collection, _ id: String) {
        registration = FeedRegistration(collection, namesPurges: false)
        self.id = id
        start = Result { try collection.database.reading { try collection.sequence(of: id, $0) } }
    }

    /// Returns an iterator that starts at the moment at which the sequence was requested.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, id: id, start: start) }

    /// Delivers one change after another.
    public struct Iterator: AsyncIteratorProtocol {
        let registration: FeedRegistration
        let id: String
        var start: Result<Int64?, any Error>

        /// Returns the next change; nil if the sequence has ended.
        public mutating func next() async throws -> DocumentChange? {
            let known = try start.get()
            let (collection, id) = (registration.collection, id)
            while await registration.subscription.wait() {
                registration.subscription.willLook()
                let found: Int64?
                do {
                    found = try await collection.database.readers.read {
                        try collection.sequence(of: id, $0)
                    }
                } catch let error as DatabaseError where error.code == .notOpen || error.code == .cancelled {
                    return nil
                }
                guard found != known else { continue }
                start = .success(found)
                return DocumentChange(collection: collection, documentID: id)
            }
            return nil
        }
    }
}
