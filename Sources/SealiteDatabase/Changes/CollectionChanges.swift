internal import SealiteJSON

/// An asynchronous sequence of the changes of a collection since the sequence was created. Changes of this process are
/// delivered immediately after the commit, changes of other processes within the configured polling interval.
///
/// Changes aren't buffered. A consumer that is slower than the writers receives the accumulated changes in one element,
/// each document once, with at most 1,000 saved or deleted documents in an element. Nothing is lost, and memory doesn't
/// grow. Cancelling the task, closing the database or deleting the collection ends the sequence. It can be iterated
/// once.
public struct CollectionChanges: AsyncSequence, Sendable {
    /// The documents that changed since the previous element.
    public typealias Element = CollectionChange
    static let pageSize = 1000

    let registration: FeedRegistration
    let start: Result<ChangePosition, any Error>

    init(_ collection: Collection) {
        // The registration precedes the read: a commit between the two steps is then delivered, not missed.
        registration = FeedRegistration(collection, namesPurges: true)
        start = Result { try collection.database.reading { try collection.position($0) } }
    }

    /// Returns an iterator that starts with the first change after the asynchronous sequence was created.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, start: start) }

    /// An iterator, each element of which has the changes since the previous element.
    public struct Iterator: AsyncIteratorProtocol {
        let registration: FeedRegistration
        var start: Result<ChangePosition, any Error>

        /// Waits for changes and returns them; nil if the sequence has ended.
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

        private func look(_ position: ChangePosition) async throws -> (CollectionChange?, ChangePosition) {
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
            let next = ChangePosition(
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
