internal import GRDB
internal import SealiteJSON
internal import SealiteRevisions

extension Collection {
    /// Returns the documents that changed after a sequence, each once with its latest change, in order of sequence. To
    /// continue, pass the sequence of the last change.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence that the caller knows, 0 for all.
    ///   - limit: the maximum number of changes.
    ///   - includingDeleted: true to include deleted documents.
    /// - Returns: the changes, empty if there are none.
    /// - Throws: `notOpen`, and errors of the storage.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) throws -> [DocumentChangeRecord] {
        try database.reading { try self.changes(since: Int64(clamping: sequence), limit, includingDeleted, $0) }
    }

    /// The asynchronous form of ``changes(since:limit:includingDeleted:)``, which doesn't block the calling task's
    /// thread.
    public func changes(
        since sequence: UInt64, limit: Int = 1000, includingDeleted: Bool = true
    ) async throws -> [DocumentChangeRecord] {
        try await database.readers.read {
            try self.changes(since: Int64(clamping: sequence), limit, includingDeleted, $0)
        }
    }

    func changes(
        since sequence: Int64, _ limit: Int, _ includingDeleted: Bool, _ connection: GRDB.Database
    ) throws -> [DocumentChangeRecord] {
        var last = sequence
        return try connection.rows(
            """
            SELECT sequence, id, flags, revision FROM \(sql.table)
            WHERE sequence > ?1 \(includingDeleted ? "" : "AND +number > 0") ORDER BY sequence LIMIT ?2
            """, sequence, max(limit, 0)
        ) { row in
            let flags = RowFlags(rawValue: row.int64(at: 2))
            let found = try row.sequence(at: 0)
            guard found > last else { throw DatabaseError.disorder("sequences", in: sql.table) }
            last = found
            return DocumentChangeRecord(
                id: try row.documentID(at: 1), sequence: UInt64(found), isDeleted: flags.contains(.deleted),
                hasConflict: flags.contains(.conflicted), revision: try row.revision(at: 3))
        }
    }

    /// Returns the number of purges in the collection since it was created.
    func purgeCount(_ connection: GRDB.Database) throws -> Int64 {
        try existing(
            connection.first("SELECT purges FROM collections WHERE number = ?1", number) {
                try self.storedPurges($0, at: 0)
            })
    }

    private func storedPurges(_ row: borrowing PreparedStatement, at column: CInt) throws -> Int64 {
        try row.number(at: column, atLeast: 0, "the stored count of purges in the collection \"\(fullName)\"")
    }

    /// Returns the position of the collection's last change, read by one statement, and therefore from one state.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    func position(_ connection: GRDB.Database) throws -> ChangePosition {
        try existing(
            connection.first(sql.position) {
                ChangePosition(sequence: try self.storedSequence($0), purges: try self.storedPurges($0, at: 1))
            })
    }
}

/// The latest change of a document and its position in the collection's order of changes.
public struct DocumentChangeRecord: Sendable, Hashable {
    /// The document's id.
    public let id: String
    /// The position of the change among all changes of the collection.
    public let sequence: UInt64
    /// A Boolean value that says whether the document is deleted.
    public let isDeleted: Bool
    /// A Boolean value that says whether the document has a conflict that waits for resolution.
    public let hasConflict: Bool
    let revision: RevisionID

    /// The id of the revision that the change created.
    public var revisionID: String { revision.description }
}

/// A set of changed documents of a collection, each document once.
public struct CollectionChange: Sendable {
    /// The collection that contains, or contained, the changed documents.
    public let collection: Collection
    /// The ids of the documents that were saved, deleted or purged since the previous element of the sequence.
    public let documentIDs: [String]
    /// The ids of purged documents among `documentIDs`, also of documents that were saved again since.
    public let purgedDocumentIDs: [String]
    /// A Boolean value that says whether documents were purged that `documentIDs` doesn't name, because another process
    /// purged them or because they were too many.
    public let hasUnnamedPurges: Bool
}

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

    let collection: Collection
    let watch: ChangeWatch
    let start: Result<ChangePosition, any Error>

    init(_ collection: Collection) {
        self.collection = collection
        // The watch precedes the read: a commit between the two steps is then delivered, not missed.
        watch = ChangeWatch(collection.database, collection: collection.number, namesPurges: true)
        start = Result { try collection.database.reading { try collection.position($0) } }
    }

    /// Returns an iterator that starts with the first change after the asynchronous sequence was created.
    public func makeAsyncIterator() -> Iterator { Iterator(collection: collection, watch: watch, start: start) }

    /// An iterator, each element of which has the changes since the previous element.
    public struct Iterator: AsyncIteratorProtocol {
        let collection: Collection
        let watch: ChangeWatch
        var start: Result<ChangePosition, any Error>

        /// Waits for changes and returns them; nil if the sequence has ended.
        public mutating func next() async throws -> CollectionChange? {
            var position = try start.get()
            while await watch.wait() {
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
            let collection = collection
            let (records, purges) = try await collection.database.readers.read { connection in
                (
                    try collection.changes(since: position.sequence, CollectionChanges.pageSize, true, connection),
                    try collection.purgeCount(connection)
                )
            }
            if records.count == CollectionChanges.pageSize { watch.wake() }
            let purgedIDs = watch.subscription.takePurgedIDs(after: position.purges, through: purges)
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

/// A document that was saved, deleted or purged.
public struct DocumentChange: Sendable {
    /// The collection that contains, or contained, the document.
    public let collection: Collection
    /// The document's id.
    public let documentID: String
}

/// An asynchronous sequence of the changes of one document since the sequence was created, delivered as
/// ``CollectionChanges`` are.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// A change of the document.
    public typealias Element = DocumentChange

    let collection: Collection
    let watch: ChangeWatch
    let id: String
    let start: Result<Int64?, any Error>

    init(_ collection: Collection, _ id: String) {
        self.collection = collection
        watch = ChangeWatch(collection.database, collection: collection.number)
        self.id = id
        start = Result { try collection.database.reading { try collection.sequence(of: id, $0) } }
    }

    /// Returns an iterator that starts with the first change after the asynchronous sequence was created.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, watch: watch, id: id, start: start)
    }

    /// An iterator over the changes of the document; several changes since the previous element are one element.
    public struct Iterator: AsyncIteratorProtocol {
        let collection: Collection
        let watch: ChangeWatch
        let id: String
        var start: Result<Int64?, any Error>

        /// Waits for a change of the document and returns it; nil if the sequence has ended.
        public mutating func next() async throws -> DocumentChange? {
            let known = try start.get()
            let (collection, id) = (collection, id)
            while await watch.wait() {
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
