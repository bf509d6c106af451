internal import SealiteDatabase
internal import SealiteValues
internal import Synchronization

/// The documents that a `find` returns, read in batches on demand, from one snapshot of the database.
///
/// A `find` with a blocking sort reads all documents before it returns the first one, and holds at most 32 MiB of them:
/// if there are more, it holds the keys of their order and reads the documents again. If it has a limit, it holds at most
/// twice as many keys as it skips and returns.
public struct FindSequence<T: Codable & Sendable>: AsyncSequence, Sendable {
    /// A document, decoded as `T`.
    public typealias Element = T

    private let collection: Collection
    private let coding: TypedCoding<T>
    private let filter: MongoDocument
    private let options: FindOptions

    init(_ collection: Collection, _ coding: TypedCoding<T>, _ filter: MongoDocument, _ options: FindOptions) {
        (self.collection, self.coding, self.filter, self.options) = (collection, coding, filter, options)
    }

    /// Returns an iterator. Each iterator reads the documents again.
    public func makeAsyncIterator() -> Iterator {
        let reader = FindReader(collection, filter, options, isDecoding: TypedCoding<T>.isPlain)
        return Iterator(reader: reader, coding: coding)
    }

    /// Returns all documents.
    public func toArray() async throws -> [T] {
        let documents = makeAsyncIterator()
        var values: [T] = []
        while case let batch = try await documents.nextBatch(), !batch.isEmpty {
            for row in batch { values.append(try coding.decode(row)) }
        }
        return values
    }

    /// Returns the first document; nil if there is none.
    public func first() async throws -> T? {
        for try await value in self { return value }
        return nil
    }

    /// An iterator over the documents of a `find`.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: FindReader
        fileprivate let coding: TypedCoding<T>
        private var batch: [Row] = []
        private var place = 0

        fileprivate init(reader: FindReader, coding: TypedCoding<T>) {
            (self.reader, self.coding) = (reader, coding)
        }

        fileprivate func nextBatch() async throws -> [Row] {
            try Task.checkCancellation()
            if let batch = try reader.nextBatchIfShort() { return batch }
            let reader = reader
            return try await reader.interruption.run { try reader.nextBatch() }
        }

        /// Returns the next document; nil after the last document.
        public mutating func next() async throws -> T? {
            if place == batch.count {
                place = 0
                batch = try await nextBatch()
            }
            guard place < batch.count else { return nil }
            defer { place += 1 }
            return try coding.decode(batch[place])
        }
    }
}

/// Reads the documents of a `find` in batches.
///
/// The reader holds a snapshot of the database until the last document is read or the reader is released. If all
/// documents have to be sorted and can be held, it holds the snapshot only until they are sorted.
final class FindReader: Sendable {
    private enum State {
        case unopened
        case streaming(Stream)
        /// Documents in the order of an index.
        case ordered(OrderedStream)
        /// Documents that have been read and sorted.
        case sorted(ArraySlice<Row>)
    }

    private struct Stream {
        let cursor: QueryCursor
        let filter: Filter
        let isDecoding: Bool
        let projection: FindProjection?
        var window: FindStatement.Window
    }

    /// The limits of a batch: the number of documents, and the bytes of stored bodies at which the batch ends.
    static let batch = (documents: 128, bytes: 256 * 1024)

    let interruption = Interruption()
    private let collection: Collection
    private let filter: MongoDocument
    private let options: FindOptions
    /// A Boolean value that says whether the documents are decoded by the thread that reads them.
    private let isDecoding: Bool
    private let state = Mutex(State.unopened)

    init(_ collection: Collection, _ filter: MongoDocument, _ options: FindOptions, isDecoding: Bool) {
        (self.collection, self.filter, self.options, self.isDecoding) = (collection, filter, options, isDecoding)
    }

    /// Returns the next documents; empty after the last one.
    func nextBatch() throws -> [Row] {
        try state.withLock { state in
            if case .unopened = state { state = try open() }
            switch state {
            case .unopened: return []
            case .sorted: return Self.nextSorted(&state)
            case .ordered(let stream):
                let rows = try stream.nextBatch()
                return isDecoding ? rows.map { Row($0.document) } : rows
            case .streaming(var stream):
                let batch = try Self.read(&stream)
                state = .streaming(stream)
                return batch
            }
        }
    }

    /// Returns the next documents if they have already been read, or if they are few and can be read without waiting;
    /// otherwise nil. An empty array follows the last document.
    func nextBatchIfShort() throws -> [Row]? {
        try state.withLock { state in
            switch state {
            case .unopened:
                let statement = try options.statement(filter)
                guard let rows = try ShortFind.rows(statement, of: collection) else { return nil }
                state = .sorted([])
                return rows
            case .sorted: return Self.nextSorted(&state)
            case .ordered, .streaming: return nil
            }
        }
    }

    private static func nextSorted(_ state: inout State) -> [Row] {
        guard case .sorted(let rows) = state else { return [] }
        state = .sorted(rows.dropFirst(batch.documents))
        return Array(rows.prefix(batch.documents))
    }

    private func open() throws -> State {
        let statement = try options.statement(filter)
        if statement.sort != nil || statement.filter.text != nil { return try openSorted(statement) }
        if let near = statement.filter.near { return try openNear(statement, near) }
        let plan = try ScanPlan(statement.filter, in: collection, isReversed: statement.isReversed)
        let cursor = try collection.database.openCursor(plan.sql) { plan.bind($0) }
        interruption.setStop { cursor.interrupt() }
        return .streaming(
            Stream(
                cursor: cursor, filter: statement.filter, isDecoding: isDecoding, projection: statement.projection,
                window: statement.window))
    }

    private func openSorted(_ statement: FindStatement) throws -> State {
        let snapshot = try collection.database.holdSnapshot()
        interruption.setStop { snapshot.interrupt() }
        let state = try openSorted(statement, snapshot)
        if case .ordered(let stream) = state, stream.isReading { return state }
        snapshot.end()
        return state
    }

    private func openSorted(_ statement: FindStatement, _ snapshot: HeldSnapshot) throws -> State {
        try snapshot.read {
            if statement.filter.text == nil, let sort = statement.sort {
                guard let order = try IndexOrder.best(statement.filter, sort, collection) else {
                    return .ordered(try openSorted(statement, sort, snapshot))
                }
                return .ordered(try OrderedStream(snapshot, statement, order))
            }
            var rows: [Row] = []
            try statement.run(CollectionSource(collection: collection)) { document in
                try interruption.check()
                rows.append(Row(document))
                return true
            }
            return .sorted(rows[...])
        }
    }

    private func openSorted(
        _ statement: FindStatement, _ sort: SortOrder, _ snapshot: HeldSnapshot
    ) throws -> OrderedStream {
        let source = CollectionSource(collection: collection)
        switch try source.sorted(statement.filter, by: sort, limit: statement.window.end) {
        case .documents(let rows):
            var rows = rows[...]
            return OrderedStream(nil, statement) { rows.popFirst() }
        case .numbers(let numbers):
            let cursor = NumberedCursor(numbers, of: collection, in: snapshot)
            return OrderedStream(snapshot, statement) { try cursor.next() }
        }
    }

    private func openNear(_ statement: FindStatement, _ near: NearCondition) throws -> State {
        let snapshot = try collection.database.holdSnapshot()
        interruption.setStop { snapshot.interrupt() }
        return try snapshot.read {
            let cursor = try NearCursor(near, statement.filter, in: collection, WorkMeter())
            return .ordered(OrderedStream(snapshot, statement) { try cursor.next()?.row })
        }
    }

    private static func read(_ stream: inout Stream) throws -> [Row] {
        guard !stream.window.isEmpty else { return [] }
        let projector = stream.projection?.projector()
        var (rows, byteCount) = ([Row](), 0)
        let hasMore = try stream.cursor.fetch { row in
            guard let match = try stream.filter.match(row), stream.window.admits() else { return false }
            byteCount += row.withBytes(at: 1) { $0.count }
            let found = Row(row, isDecoding: stream.isDecoding && projector == nil)
            rows.append(try projector.map { Row(try $0.document(of: found, match)) } ?? found)
            return rows.count == batch.documents || byteCount >= batch.bytes || stream.window.isEmpty
        }
        if !hasMore || stream.window.isEmpty { stream.cursor.end() }
        return rows
    }
}

/// The documents of a `find` in the order of an index, or of their distances, from one snapshot of the database.
// Sendable: only the thread that holds the reader's mutex uses a stream.
private final class OrderedStream: @unchecked Sendable {
    /// The snapshot; nil if the documents have been read.
    private let snapshot: HeldSnapshot?
    /// A Boolean value that says whether documents are still read from the snapshot.
    var isReading: Bool { snapshot != nil }
    private let nextRow: () throws -> Row?
    private let filter: Filter
    private let projection: FindProjection?
    private var window: FindStatement.Window

    /// Creates a stream of the documents of a `find`. The calling thread must be reading the snapshot.
    convenience init(_ snapshot: HeldSnapshot, _ statement: FindStatement, _ order: IndexOrder) throws {
        let cursor = try OrderedCursor(order, statement.filter, limit: statement.window.end, in: snapshot)
        self.init(snapshot, statement) { try cursor.next() }
    }

    /// Creates a stream of the documents of a `find` among the rows that `nextRow` returns while the snapshot, if any, is
    /// read.
    init(_ snapshot: HeldSnapshot?, _ statement: FindStatement, nextRow: @escaping () throws -> Row?) {
        (filter, projection, window) = (statement.filter, statement.projection, statement.window)
        (self.snapshot, self.nextRow) = (snapshot, nextRow)
    }

    deinit { snapshot?.end() }

    func nextBatch() throws -> [Row] {
        guard !window.isEmpty else { return [] }
        let rows = try snapshot?.read(readBatch) ?? readBatch()
        if rows.isEmpty { window = FindStatement.Window(skip: 0, limit: 0) }
        if window.isEmpty { snapshot?.end() }
        return rows
    }

    private func readBatch() throws -> [Row] {
        let projector = projection?.projector()
        var (rows, byteCount) = ([Row](), 0)
        while rows.count < FindReader.batch.documents, byteCount < FindReader.batch.bytes, !window.isEmpty,
            let row = try nextRow()
        {
            guard window.admits(), let match = try filter.match(row) else { continue }
            rows.append(try projector.map { Row(try $0.document(of: row, match)) } ?? row)
            byteCount += row.bodyByteCount
        }
        return rows
    }
}

/// A `find` for which an `_id` or an index finds few documents. They are read on the calling task's thread, since
/// switching to another thread and back takes several times as long as such a read.
struct ShortFind {
    /// The maximum number of rows that one `find` reads on the task's thread; a `find` with more rows runs on another
    /// thread.
    private static let rowLimit = 16
    /// The maximum total size, in bytes, of the bodies that one `find` reads on the task's thread; a `find` with more
    /// bytes runs on another thread.
    private static let byteLimit = 64 * 1024

    /// Thrown by a row handler if a statement has more rows or bytes than may be read on the task's thread; the read
    /// then starts again on another thread.
    private struct TooMany: Error {}
    /// Thrown by a row handler to stop a statement early; caught by the same method.
    private struct Enough: Error {}

    private let statement: FindStatement
    private let collection: Collection

    /// Returns the rows of a `find`; nil if it reads more than `rowLimit` rows or `byteLimit` bytes, needs a sort,
    /// a projection or a scan, has expressions or regular expressions in its filter, or can't be read without waiting.
    static func rows(_ statement: FindStatement, of collection: Collection) throws -> [Row]? {
        guard statement.sort == nil, statement.projection == nil, statement.filter.isShort,
            statement.filter.near == nil
        else { return nil }
        do {
            return try collection.database.readIfIdle {
                try ShortFind(statement: statement, collection: collection).rows()
            } ?? nil
        } catch is TooMany {
            return nil
        }
    }

    /// Returns the rows; nil if finding them takes a scan of the collection, or more than one `_id` or key range.
    private func rows() throws -> [Row]? {
        let plan = try ScanPlan(statement.filter, in: collection, isReversed: statement.isReversed)
        guard plan.search != nil || !plan.ids.isEmpty, plan.isKept else { return nil }
        var window = statement.window
        guard !window.isEmpty else { return [] }
        var (rows, rowCount, byteCount) = ([Row](), 0, 0)
        do {
            try collection.database.readRows(plan.sql, bind: { plan.bind($0) }) { row in
                rowCount += 1
                byteCount += row.withBytes(at: 1) { $0.count }
                guard rowCount <= Self.rowLimit, byteCount <= Self.byteLimit else { throw TooMany() }
                guard try statement.filter.match(row) != nil, window.admits() else { return }
                rows.append(Row(row))
                if window.isEmpty { throw Enough() }
            }
        } catch is Enough {}
        return rows
    }
}

extension Filter {
    /// A Boolean value that says whether testing one document takes a short, bounded time: comparisons do, expressions
    /// and regular expressions don't.
    fileprivate var isShort: Bool { tree.isShort }
}

extension FilterTree {
    fileprivate var isShort: Bool {
        switch self {
        case .all(let trees), .any(let trees): trees.allSatisfy(\.isShort)
        case .not(let tree): tree.isShort
        case .condition(let condition): condition.test.isShort
        case .document, .text: false
        case .constant: true
        }
    }
}

extension LeafTest {
    fileprivate var isShort: Bool {
        switch self {
        case .pattern, .shape: false
        case .among(let list): list.patterns.isEmpty
        case .elements(let test): test.tree.isShort
        default: true
        }
    }
}
