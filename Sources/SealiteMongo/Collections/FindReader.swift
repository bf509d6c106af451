internal import SealiteDatabase
internal import SealiteValues
internal import Synchronization

/// Reads the documents of a `find` in parts.
///
/// For documents in natural order a cursor keeps the state of the database until the last one is read or the reader is released.
final class FindReader: Sendable {
    private enum State {
        case unopened
        case streaming(Stream)
        /// Documents that have been sorted.
        case sorted(ArraySlice<MongoDocument>)
    }

    private struct Stream {
        let cursor: QueryCursor
        let filter: Filter
        let projection: FindProjection?
        var window: FindStatement.Window
    }

    /// The documents that are given at once, and the bytes of bodies after which fewer are.
    private static let batch = (documents: 128, bytes: 256 * 1024)

    private let collection: Collection
    private let filter: MongoDocument
    private let options: FindOptions
    private let state = Mutex(State.unopened)

    init(_ collection: Collection, _ filter: MongoDocument, _ options: FindOptions) {
        (self.collection, self.filter, self.options) = (collection, filter, options)
    }

    /// The next documents; none behind the last one.
    func nextBatch() throws -> [MongoDocument] {
        try state.withLock { state in
            if case .unopened = state { state = try open() }
            switch state {
            case .unopened: return []
            case .sorted(let documents):
                state = .sorted(documents.dropFirst(Self.batch.documents))
                return Array(documents.prefix(Self.batch.documents))
            case .streaming(var stream):
                let batch = try Self.read(&stream)
                state = .streaming(stream)
                return batch
            }
        }
    }

    private func open() throws -> State {
        let statement = try options.statement(filter)
        guard statement.isStreamed else {
            var documents: [MongoDocument] = []
            try collection.database.read {
                try statement.run(CollectionSource(collection: collection)) { document in
                    documents.append(document)
                    return true
                }
            }
            return .sorted(documents[...])
        }
        let plan = try ScanPlan(statement.filter, in: collection, isReversed: statement.isReversed)
        let cursor = try collection.database.openCursor(plan.sql) { plan.bind($0) }
        let window = FindStatement.Window(skip: statement.skip, limit: statement.limit)
        return .streaming(
            Stream(cursor: cursor, filter: statement.filter, projection: statement.projection, window: window))
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

extension Row {
    /// The size of a stored body; 0 for a document that was made.
    fileprivate var bodyByteCount: Int {
        switch content {
        case .stored(let body, _): body.count
        case .made: 0
        }
    }
}
