internal import SealiteJSON

/// Documents of a collection that changed, each named once.
public struct CollectionChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The ids of documents that were saved, deleted or purged since the last change that was delivered.
    public let documentIDs: [String]
    /// Those of them that were purged; one that was saved again since is among them too.
    public let purgedDocumentIDs: [String]
    /// Whether documents were purged that `documentIDs` does not name: another process did it, or there were very many.
    public let hasUnnamedPurges: Bool
}

/// A document that was saved, deleted or purged.
public struct DocumentChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The document's id.
    public let documentID: String
}

/// What keeps a follower registered: as long as a sequence or an iterator of it lives.
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

/// The changes of a collection from the moment this was asked for, as they are committed by any connection of this
/// process, at once, or of another one, within the configured polling interval.
///
/// Buffering: none. A consumer that is slower than the writers finds what changed meanwhile in one element, each document
/// once, up to 1,000 documents an element; nothing is lost, and memory doesn't grow. Cancelling the task, closing the
/// database or deleting the collection ends the sequence. It can be iterated once.
public struct CollectionChanges: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = CollectionChange
    static let pageSize = 1000

    let registration: FeedRegistration
    let start: Result<Iterator.Position, any Error>

    init(_ collection: Collection) {
        // Registered first: a commit between the two is then seen, not missed.
        registration = FeedRegistration(collection, namesPurges: true)
        start = Result {
            try collection.database.reading { connection in
                Iterator.Position(
                    sequence: try collection.lastSequence(connection), purges: try collection.purgeCount(connection))
            }
        }
    }

    /// Starts from the moment the sequence was asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, start: start) }

    /// Delivers one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        struct Position: Sendable {
            var sequence: Int64
            var purges: Int64
        }

        let registration: FeedRegistration
        var start: Result<Position, any Error>

        /// The next change; nil when the sequence ended.
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
            let (records, purges) = try await collection.database.readers.read(collection.database) { connection in
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

/// The changes of one document from the moment this was asked for; see ``CollectionChanges`` for when and how.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = DocumentChange

    let registration: FeedRegistration
    let id: String
    let start: Result<Int64?, any Error>

    init(_ collection: Collection, _ id: String) {
        registration = FeedRegistration(collection, namesPurges: false)
        self.id = id
        start = Result { try collection.database.reading { try collection.sequence(of: id, $0) } }
    }

    /// Starts from the moment the sequence was asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, id: id, start: start) }

    /// Delivers one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let registration: FeedRegistration
        let id: String
        var start: Result<Int64?, any Error>

        /// The next change; nil when the sequence ended.
        public mutating func next() async throws -> DocumentChange? {
            let known = try start.get()
            let (collection, id) = (registration.collection, id)
            while await registration.subscription.wait() {
                registration.subscription.willLook()
                let found: Int64?
                do {
                    found = try await collection.database.readers.read(collection.database) {
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
