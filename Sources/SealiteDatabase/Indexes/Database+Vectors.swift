internal import SealiteBase
internal import GRDB
internal import SealiteJSON
internal import SealiteFunctions
internal import SealiteVectors
internal import Synchronization

/// The attempts to train or to fill vector indexes that came to nothing, kept in memory so that searches don't repeat them
/// at once.
private final class VectorMemory: DatabasePart {
    /// The numbers of documents with which a training was tried that may have had too few vectors, by the numbers of indexes.
    let tooFew = Mutex<[Int64: Int64]>([:])
    /// The times until which nothing is tried again, by the numbers of indexes.
    let pauses = Mutex<[Int64: ContinuousClock.Instant]>([:])
    /// The catalogue's rows that were last read, and the tables that they describe, by the numbers of indexes.
    private let tables = Mutex<[Int64: (record: IndexRecord, table: VectorTable?)]>([:])

    /// Returns the tables of a vector index; nil for one that can't be searched.
    func table(of record: IndexRecord) -> VectorTable? {
        if let known = tables.withLock({ $0[record.number] }), known.record == record { return known.table }
        let table = record.isCurrent ? record.table() as? VectorTable : nil
        tables.withLock { $0[record.number] = (record, table) }
        return table
    }
}

extension Database {
    /// The number of documents that aren't in lists yet from which on a search enters them first: reading these documents
    /// would take longer than the search.
    private static let longBacklog = 64
    /// The time for which nothing is tried after the storage refused a change, which a training may have preceded, or after a
    /// training that took too long.
    private static let pause = Duration.seconds(60)
    /// The errors of a storage that can be read, but not changed.
    private static let refusals: [DatabaseError.Code] = [.diskFull, .permissionDenied, .ioError, .cantOpenFile]

    private var vectorMemory: VectorMemory { attachments.object(VectorMemory.self) { VectorMemory() } }

    /// Trains a vector index if there are enough vectors, and enters the documents that aren't in its lists, as far as a
    /// search gains by it. Does nothing inside a transaction or a snapshot, or if another connection is writing, or the
    /// storage can't be changed: a search is exact then for these documents, and slower.
    ///
    /// - Parameters:
    ///   - number: the number of the index.
    ///   - end: the time of the database's clock at which the work is left to a later search; nil for none.
    ///   - requireNotStopped: called now and then; an error that it throws ends the work.
    /// - Throws: the errors of `requireNotStopped`, errors of the storage, and the cancellation of the calling thread's
    ///   ``WriteControl``.
    package func prepareSearch(
        ofIndex number: Int64, until end: ContinuousClock.Instant? = nil, requireNotStopped: () throws -> Void = {}
    ) throws {
        guard !isInTransactionOrSnapshot,
            let work = try reading({ try self.vectorWork(number, $0) })
        else { return }
        let time = configuration.time
        if let end = vectorMemory.pauses.withLock({ $0[number] }), time.now < end { return }
        do {
            let isTrained = try VectorUpkeep(database: self, table: work.table, waits: false).run { _ in
                try WriteControl.current?.requireNotStopped()
                try requireNotStopped()
                if let end, time.now >= end { throw OutOfTime() }
            }
            if !isTrained, let count = work.documentCount { vectorMemory.tooFew.withLock { $0[number] = count } }
        } catch let error as DatabaseError where error.code == .busy {
            // A later search does it.
        } catch is OutOfTime {
            // Entered documents are kept; a training begins from the start.
            if work.trains { vectorMemory.pauses.withLock { $0[number] = time.now + Self.pause } }
        } catch let error as DatabaseError where Self.refusals.contains(error.code) {
            vectorMemory.pauses.withLock { $0[number] = time.now + Self.pause }
        }
    }

    /// Thrown to end the work at the time that was set for it; caught by the same method.
    private struct OutOfTime: Error {}

    /// Work that makes searches faster.
    private struct VectorWork {
        let table: VectorTable
        /// The number of documents with which the first training is tried; nil for an index that is trained.
        var documentCount: Int64?
        /// A Boolean value that says whether a training is a part of the work.
        let trains: Bool
    }

    /// Returns the work that there is for an index; nil if there is none.
    private func vectorWork(_ number: Int64, _ connection: GRDB.Database) throws -> VectorWork? {
        guard let record = try IndexRecord.record(number, in: connection),
            let table = vectorMemory.table(of: record)
        else { return nil }
        return try vectorWork(table, connection)
    }

    private func vectorWork(_ table: VectorTable, _ connection: GRDB.Database) throws -> VectorWork? {
        let number = table.tables.index
        guard let newest = try VectorUpkeep.Generation.Newest(connection, table) else {
            let count = try connection.integer(
                table.definition.lazy
                    ? "SELECT count(vector) FROM \(table.tables.values)" : "SELECT max(number) FROM \(table.documents)")
            guard count >= Int64(table.definition.leastTraining) else { return nil }
            // Until there are a tenth more documents there are probably too few vectors still.
            if let known = vectorMemory.tooFew.withLock({ $0[number] }), count - known <= known / 10 { return nil }
            return VectorWork(table: table, documentCount: count, trains: true)
        }
        guard newest.isWhole, !newest.isOutgrown else { return VectorWork(table: table, trains: newest.isOutgrown) }
        let column = table.definition.lazy ? "document" : "number"
        let rows = table.definition.lazy ? table.tables.values : table.documents
        let limit = Self.longBacklog
        let new = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM \(rows) WHERE \(column) > ?1 LIMIT \(limit))", newest.through)
        let changed = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM \(table.tables.changes) WHERE generation = ?1 LIMIT \(limit))",
            newest.number)
        return new + changed >= Int64(limit) ? VectorWork(table: table, trains: false) : nil
    }
}

extension Collection {
    /// Returns the tables of the vector index with a name; nil if there is no such index that can be used.
    func vectorTable(_ name: String, _ connection: GRDB.Database) throws -> VectorTable? {
        let records = try IndexRecord.all(of: number, in: connection)
        guard let record = records.first(where: { ExactText.areSame($0.name, name) }), record.isCurrent else {
            return nil
        }
        return record.table() as? VectorTable
    }

    /// Trains a vector index if there are enough vectors, and enters all documents that aren't in its lists yet. Waits for
    /// other writers between its transactions.
    ///
    /// - Parameters:
    ///   - name: the name of the index; nothing is done for one of another kind.
    ///   - progress: called after each transaction; an error that it throws ends the work, which a later call continues.
    /// - Throws: `invalidParameter` inside a transaction, the errors of `progress`, and errors of the storage.
    package func completeVectorIndex(
        _ name: String, progress: (IndexProgress) throws -> Void = { _ in }
    ) throws {
        try database.writer.requireNoTransaction()
        guard let table = try database.reading({ try self.vectorTable(name, $0) }) else { return }
        try VectorUpkeep(database: database, table: table, waits: true).run(progress)
    }
}
