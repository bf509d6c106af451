internal import SealiteDatabase
internal import SealiteValues
internal import Synchronization

/// Reads the documents of a `find` in batches.
///
/// The reader holds a snapshot of the database until the last document is read or the reader is released. If all
/// documents have to be sorted, it holds the snapshot only until they are sorted.
final class FindReader: Sendable {
    private enum State {
        case unopened
        case streaming(Stream)
        /// Documents in the order of an index.
        case ordered(OrderedStream)
        /// Documents that have been read and sorted.
        case sorted(ArraySlice<MongoDocument>)
    }

    private struct Stream {
        let cursor: QueryCursor
        let filter: Filter
        let projection: FindProjection?
        var window: FindStatement.Window
    }

    /// The limits of a batch: the number of documents, and the bytes of stored bodies at which the batch ends.
    static let batch = (documents: 128, bytes: 256 * 1024)

    let interruption = Interruption()
    private let collection: Collection
    private let filter: MongoDocument
    private let options: FindOptions
    private let state = Mutex(State.unopened)

    init(_ collection: Collection, _ filter: MongoDocument, _ options: FindOptions) {
        (self.collection, self.filter, self.options) = (collection, filter, options)
    }

    /// Returns the next documents; empty after the last one.
    func nextBatch() throws -> [MongoDocument] {
        try state.withLock { state in
            if case .unopened = state { state = try open() }
            switch state {
            case .unopened: return []
            case .sorted: return Self.nextSorted(&state)
            case .ordered(let stream): return try stream.nextBatch()
            case .streaming(var stream):
                let batch = try Self.read(&stream)
                state = .streaming(stream)
                return batch
            }
        }
    }

    /// Returns the next documents if they have already been read, or if they are few and can be read without waiting;
    /// otherwise nil. An empty array follows the last document.
    func nextBatchIfShort() throws -> [MongoDocument]? {
        try state.withLock { state in
            switch state {
            case .unopened:
                let statement = try options.statement(filter)
                guard let documents = try ShortFind.documents(statement, of: collection) else { return nil }
                state = .sorted([])
                return documents
            case .sorted: return Self.nextSorted(&state)
            case .ordered, .streaming: return nil
            }
        }
    }

    private static func nextSorted(_ state: inout State) -> [MongoDocument] {
        guard case .sorted(let documents) = state else { return [] }
        state = .sorted(documents.dropFirst(batch.documents))
        return Array(documents.prefix(batch.documents))
    }

    private func open() throws -> State {
        let statement = try options.statement(filter)
        if let sort = statement.sort { return try openSorted(statement, sort) }
        let plan = try ScanPlan(statement.filter, in: collection, isReversed: statement.isReversed)
        let cursor = try collection.database.openCursor(plan.sql) { plan.bind($0) }
        interruption.setStop { cursor.interrupt() }
        return .streaming(
            Stream(
                cursor: cursor, filter: statement.filter, projection: statement.projection, window: statement.window))
    }

    private func openSorted(_ statement: FindStatement, _ sort: SortOrder) throws -> State {
        let snapshot = try collection.database.holdSnapshot()
        interruption.setStop { snapshot.interrupt() }
        return try snapshot.read {
            if let order = try IndexOrder.best(statement.filter, sort, collection) {
                return .ordered(try OrderedStream(snapshot, statement, order))
            }
            var documents: [MongoDocument] = []
            try statement.run(CollectionSource(collection: collection)) { document in
                try interruption.check()
                documents.append(document)
                return true
            }
            return .sorted(documents[...])
        }
    }

    private static func read(_ stream: inout Stream) throws -> [MongoDocument] {
        guard !stream.window.isEmpty else { return [] }
        let projector = stream.projection?.projector()
        var (documents, byteCount) = ([MongoDocument](), 0)
        let hasMore = try stream.cursor.fetch { row in
            guard let match = try stream.filter.match(row), stream.window.admits() else { return false }
            let found = Row(body: row.bytes(at: 1) ?? [], id: DocumentKey.value(of: row.text(at: 0)))
            documents.append(try projector?.document(of: found, match) ?? found.document)
            byteCount += found.bodyByteCount
            return documents.count == batch.documents || byteCount >= batch.bytes || stream.window.isEmpty
        }
        if !hasMore || stream.window.isEmpty { stream.cursor.end() }
        return documents
    }
}

/// The documents of a `find` in the order of an index, from one snapshot of the database.
// Sendable: only the thread that holds the reader's mutex uses a stream.
private final class OrderedStream: @unchecked Sendable {
    private let snapshot: HeldSnapshot
    private let cursor: OrderedCursor
    private let filter: Filter
    private let projection: FindProjection?
    private var window: FindStatement.Window

    /// Creates a stream of the documents of a `find`. The calling thread must be reading the snapshot.
    init(_ snapshot: HeldSnapshot, _ statement: FindStatement, _ order: IndexOrder) throws {
        (filter, projection, window) = (statement.filter, statement.projection, statement.window)
        cursor = try OrderedCursor(order, filter, limit: window.end, in: snapshot)
        self.snapshot = snapshot
    }

    deinit { snapshot.end() }

    func nextBatch() throws -> [MongoDocument] {
        guard !window.isEmpty else { return [] }
        let documents = try snapshot.read {
            let projector = projection?.projector()
            var (documents, byteCount) = ([MongoDocument](), 0)
            while documents.count < FindReader.batch.documents, byteCount < FindReader.batch.bytes, !window.isEmpty,
                let row = try cursor.next()
            {
                guard window.admits(), let match = try filter.match(row) else { continue }
                documents.append(try projector?.document(of: row, match) ?? row.document)
                byteCount += row.bodyByteCount
            }
            return documents
        }
        if documents.isEmpty { window = FindStatement.Window(skip: 0, limit: 0) }
        if window.isEmpty { snapshot.end() }
        return documents
    }
}
