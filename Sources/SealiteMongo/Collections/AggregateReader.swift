internal import SealiteDatabase
internal import SealiteValues
internal import Synchronization

/// Reads the documents of an aggregation in batches, from one snapshot of the database, which is held until the last
/// document is read or the reader is released.
///
/// A pipeline that writes runs as one transaction when its first document is asked for; it returns no documents.
final class AggregateReader: Sendable {
    private enum State {
        case unopened
        case streaming(Stream)
        case ended
    }

    /// The rows of a pipeline in progress.
    // Sendable: only the thread that holds the reader's mutex uses a stream.
    private final class Stream: @unchecked Sendable {
        let snapshot: HeldSnapshot
        var rows: RowCursor

        init(_ snapshot: HeldSnapshot, _ rows: RowCursor) { (self.snapshot, self.rows) = (snapshot, rows) }

        deinit { snapshot.end() }
    }

    /// The limits of a batch: the number of documents, and the bytes of stored bodies at which the batch ends.
    private static let batch = (documents: 128, bytes: 256 * 1024)

    private let interruption = Interruption()
    private let collection: Collection
    private let stages: [MongoDocument]
    private let options: AggregateOptions
    /// A Boolean value that says whether writes to the collection go through its per-document sync.
    private let isSynced: Bool
    private let state = Mutex(State.unopened)

    init(_ collection: Collection, _ stages: [MongoDocument], _ options: AggregateOptions, isSynced: Bool) {
        (self.collection, self.stages, self.options, self.isSynced) = (collection, stages, options, isSynced)
    }

    /// Returns the next documents; empty after the last one.
    func nextBatch() async throws -> [MongoDocument] {
        guard let run = try takeRun() else { return try await interruption.run { try self.readBatch(nil) } }
        guard run.isWriting else { return try await interruption.run { try self.readBatch(run) } }
        try await write(run)
        return []
    }

    /// Runs a pipeline that writes as one transaction.
    private func write(_ run: AggregateRun) async throws {
        let collection = collection
        let body: @Sendable () throws -> Void = {
            var rows = try run.rows(of: collection, in: nil)
            while try rows.next() != nil {}
        }
        guard isSynced, run.target == collection.name else {
            return try await collection.database.write { _ in try body() }
        }
        try await collection.database.writeSynced(collection) { _ in try body() }
    }

    /// Parses the pipeline at the first call and returns it; returns nil at later calls.
    private func takeRun() throws -> AggregateRun? {
        try state.withLock { state in
            guard case .unopened = state else { return nil }
            state = .ended
            return try AggregateRun(stages, options)
        }
    }

    /// Reads the next documents: the first ones of the pipeline `run`, or, if `run` is nil, those of the pipeline in
    /// progress. Empty after the last document.
    private func readBatch(_ run: AggregateRun?) throws -> [MongoDocument] {
        try state.withLock { state in
            do {
                if let run { state = try begin(run) }
                guard case .streaming(let stream) = state else { return [] }
                let documents = try stream.snapshot.read { try read(stream) }
                if documents.isEmpty { state = .ended }
                return documents
            } catch {
                state = .ended
                throw error
            }
        }
    }

    private func begin(_ run: AggregateRun) throws -> State {
        let snapshot = try collection.database.holdSnapshot()
        interruption.setStop { snapshot.interrupt() }
        return .streaming(Stream(snapshot, try snapshot.read { try run.rows(of: collection, in: snapshot) }))
    }

    private func read(_ stream: Stream) throws -> [MongoDocument] {
        var (documents, byteCount) = ([MongoDocument](), 0)
        while documents.count < Self.batch.documents, byteCount < Self.batch.bytes, let row = try stream.rows.next() {
            try interruption.check()
            documents.append(row.document)
            byteCount += row.bodyByteCount
        }
        return documents
    }
}
