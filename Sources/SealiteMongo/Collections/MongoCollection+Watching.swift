internal import SealiteDatabase
public import SealiteValues

/// A change of a document.
public struct ChangeStreamEvent<T: Codable & Sendable>: Sendable {
    /// The kinds of changes.
    public enum OperationType: String, Sendable, Hashable {
        /// A document was inserted or changed; several changes since the last event are one.
        case update
        /// A document was deleted, or purged.
        case delete
    }

    /// The kind of the change.
    public let operationType: OperationType
    /// The `_id` of the document.
    public let documentKey: BSON
    /// The document as it was when the event was made; nil for one that was deleted.
    public let fullDocument: T?
}

/// The changes of a collection from the moment in which they were asked for, those by sync and by other processes among them.
///
/// A consumer that is slower than the writers finds the changes of one document as one event. Cancelling the task or
/// closing the database ends the sequence.
public struct ChangeStream<T: Codable & Sendable>: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = ChangeStreamEvent<T>

    private let collection: Collection
    private let changes: CollectionChanges
    private let coding: DocumentCoding<T>
    private let filter: Filter

    init(_ collection: Collection, _ coding: DocumentCoding<T>, _ filter: Filter) {
        (self.collection, self.coding, self.filter) = (collection, coding, filter)
        changes = collection.changes
    }

    /// Begins at the moment in which the stream was asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, changes: changes.makeAsyncIterator(), coding: coding, filter: filter)
    }

    /// Gives one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let collection: Collection
        fileprivate var changes: CollectionChanges.Iterator
        fileprivate let coding: DocumentCoding<T>
        fileprivate let filter: Filter
        private var events: ArraySlice<ChangeStreamEvent<T>> = []

        fileprivate init(
            collection: Collection, changes: CollectionChanges.Iterator, coding: DocumentCoding<T>, filter: Filter
        ) {
            (self.collection, self.changes, self.coding, self.filter) = (collection, changes, coding, filter)
        }

        /// The next change; nil where the sequence has ended.
        public mutating func next() async throws -> ChangeStreamEvent<T>? {
            while events.isEmpty {
                guard let change = try await changes.next() else { return nil }
                events = try await Self.events(of: change.documentIDs, collection, coding, filter)[...]
            }
            return events.popFirst()
        }

        private static func events(
            of ids: [String], _ collection: Collection, _ coding: DocumentCoding<T>, _ filter: Filter
        ) async throws -> [ChangeStreamEvent<T>] {
            try await collection.database.read {
                try ids.compactMap { id in
                    guard let document = try collection.document(id: id) else {
                        return ChangeStreamEvent(
                            operationType: .delete, documentKey: DocumentKey.value(of: id), fullDocument: nil)
                    }
                    let row = Row(document)
                    guard try filter.matches(row) else { return nil }
                    return ChangeStreamEvent(
                        operationType: .update, documentKey: row.id, fullDocument: try coding.decode(row.document))
                }
            }
        }
    }
}

extension MongoCollection {
    /// Returns the changes of the collection from now on.
    ///
    /// - Parameter filter: the documents whose changes are of interest; deletions are always given.
    /// - Returns: the changes.
    /// - Throws: `MongoError` for a filter that isn't one.
    public func watch(_ filter: MongoDocument = [:]) throws -> ChangeStream<T> {
        ChangeStream(collection, coding, try Filter(parsing: filter))
    }
}
