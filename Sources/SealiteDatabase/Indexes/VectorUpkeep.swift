internal import GRDB
internal import SealiteCrypto
internal import SealiteFunctions
internal import SealiteVectors
internal import Synchronization

/// Trains a vector index, and enters the vectors of documents into its lists (Documentation/VectorSearch.md).
///
/// Each transaction holds the lock for writing for few documents. Any number of processes may do this at once, and each may
/// be killed: what is in the file says what is to be done next.
struct VectorUpkeep {
    /// The number of documents that one transaction enters.
    static let stepDocumentCount = 200
    /// The number of entries that one transaction removes of a generation that isn't used any more, in chunks or places.
    private static let removedRowCount = 2_000
    /// An index is trained anew once it has so many times the entries that its last training knew.
    private static let growthOfRetraining: Int64 = 4
    /// The number of iterations of a training.
    private static let iterationCount = 10

    let database: Database
    let table: VectorTable
    /// A Boolean value that says whether the work is left to somebody else where another connection is writing.
    let waits: Bool

    private var tables: VectorTables { table.tables }
    private var definition: VectorDefinition { table.definition }

    /// A generation as stored (Documentation/DocumentFormat.md §3.9).
    struct Generation {
        let number: Int64
        let through: Int64
        let entries: Int64
        let trained: Int64
        let isWhole: Bool
        let codec: VectorCodec
        let token: [UInt8]

        /// More documents and entries than this can't be counted one by one, so that counts can be added.
        private static let counts: ClosedRange<Int64> = 0...1 << 60

        init(_ row: borrowing PreparedStatement, _ definition: VectorDefinition) throws {
            number = row.int64(at: 0)
            (through, entries) = (row.int64(at: 1), row.int64(at: 2))
            (trained, isWhole) = (row.int64(at: 3), row.int64(at: 4) == 1)
            let ranges = row.withBytes(at: 5) {
                VectorRanges(stored: $0, definition.encoding, dimensions: definition.dimensions)
            }
            let token = row.withBytes(at: 6) { bytes in
                bytes.count == VectorTables.tokenByteCount ? bytes.indices.map { bytes[$0] } : nil
            }
            guard let ranges, let token, (0...VectorTables.greatestGeneration).contains(number), through >= 0,
                Self.counts.contains(entries), Self.counts.contains(trained)
            else { throw VectorChunks.damage }
            self.token = token
            codec = VectorCodec(
                metric: definition.metric, encoding: definition.encoding, dimensions: definition.dimensions,
                ranges: ranges)
        }

        /// Returns whether the index should be trained anew, since it has many more vectors than this training knew.
        func isOutgrown(_ definition: VectorDefinition) -> Bool {
            isWhole && Self.isOutgrown(entries, trained, definition)
        }

        private static func isOutgrown(_ entries: Int64, _ trained: Int64, _ definition: VectorDefinition) -> Bool {
            trained < definition.mostTraining && entries / VectorUpkeep.growthOfRetraining > trained
        }

        /// The newest generation as far as each search needs it, which doesn't check the rest.
        struct Newest {
            let number: Int64
            let through: Int64
            let isWhole: Bool
            let isOutgrown: Bool

            /// Reads it; nil if there is none.
            init?(_ connection: GRDB.Database, _ table: VectorTable) throws {
                let newest = try connection.first(
                    """
                    SELECT generation, through, entries, trained, whole FROM \(table.tables.generations)
                    ORDER BY generation DESC LIMIT 1
                    """
                ) { row in
                    (row.int64(at: 0), row.int64(at: 1), row.int64(at: 2), row.int64(at: 3), row.int64(at: 4) == 1)
                }
                guard let newest else { return nil }
                (number, through, isWhole) = (newest.0, newest.1, newest.4)
                isOutgrown = newest.4 && Generation.isOutgrown(newest.2, newest.3, table.definition)
            }
        }

        /// Returns the generations, the newest last.
        ///
        /// - Throws: `corruptData` if one is damaged, or if there are more than a program makes: a file that somebody
        ///   altered may have any number.
        static func all(_ connection: GRDB.Database, _ table: VectorTable) throws -> [Generation] {
            let newest = try connection.rows(
                """
                SELECT generation, through, entries, trained, whole, ranges, token FROM \(table.tables.generations)
                ORDER BY generation DESC LIMIT \(VectorTables.mostGenerations + 1)
                """
            ) { try Generation($0, table.definition) }
            guard newest.count <= VectorTables.mostGenerations else { throw VectorChunks.damage }
            return newest.reversed()
        }
    }

    /// Does all that there is to do: trains, enters and removes.
    ///
    /// - Parameter progress: called now and then; an error that it throws ends the work, which can be continued later.
    /// - Returns: whether the index is trained.
    /// - Throws: the errors of `progress`, `busy` if another connection is writing, and errors of the storage.
    @discardableResult
    func run(_ progress: (IndexProgress) throws -> Void) throws -> Bool {
        var generations = try database.reading { try Generation.all($0, table) }
        if generations.last.map({ $0.isOutgrown(definition) }) ?? true {
            try train(after: generations.last, progress)
            generations = try database.reading { try Generation.all($0, table) }
        }
        guard let newest = generations.last else { return false }
        let centroids = try database.reading { try readCentroids(newest, $0) }
        while try write({ try enter(into: newest, centroids, $0) }) { try report(progress) }
        while try write({ try removeOld($0) }) { try report(progress) }
        return true
    }

    private func report(_ progress: (IndexProgress) throws -> Void) throws {
        let (through, last) = try database.reading { connection in
            (
                try connection.integer("SELECT max(through) FROM \(tables.generations)"),
                try connection.integer("SELECT max(number) FROM \(table.documents)")
            )
        }
        try progress(
            IndexProgress(documentCount: UInt64(max(min(through, last), 0)), totalDocumentCount: UInt64(max(last, 0))))
    }

    private func write<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        let work: (Transaction) throws -> Result = { try body($0.connection) }
        return waits
            ? try database.writer.perform(database, work) : try database.writer.performIfIdle(database, work)
    }

    // MARK: - Training

    /// Trains a generation if there are enough vectors, and stores its centroids; another process may have been faster.
    private func train(after last: Generation?, _ progress: (IndexProgress) throws -> Void) throws {
        var (floats, total) = try sample(progress)
        guard total >= definition.leastTraining else { return }
        let (metric, dimensions) = (definition.metric, definition.dimensions)
        // Vectors are coded as they are, but for the cosine. The sample is large, and converted in its place.
        let ranges = metric == .cosine ? nil : self.ranges(floats)
        metric.makeDirections(&floats, dimensions: dimensions)
        let centroids = unsafe try floats.withUnsafeBufferPointer { floats in
            try unsafe KMeans.train(
                floats, dimensions: dimensions, centroids: definition.centroids,
                seed: UInt64(last.map { $0.number + 1 } ?? 0), isSpherical: metric.isOfAngles,
                iterations: Self.iterationCount
            ) { _, _ in try report(progress) }
        }
        let training = (ranges ?? self.ranges(floats), centroids)
        try write { try store(training, total, after: last, $0) }
    }

    private func ranges(_ vectors: [Float]) -> VectorRanges {
        unsafe vectors.withUnsafeBufferPointer {
            unsafe VectorRanges(sample: $0, dimensions: definition.dimensions, steps: definition.encoding.steps)
        }
    }

    /// Reads vectors of documents, each with the same chance (reservoir sampling with a fixed seed), and counts all.
    private func sample(_ progress: (IndexProgress) throws -> Void) throws -> (floats: [Float], total: Int) {
        let (limit, dimensions) = (definition.mostTraining, definition.dimensions)
        return try database.reading { connection in
            var sample: (floats: [Float], total: Int) = ([], 0)
            var random = SplitMix(seed: 48)
            var vector = [Float](repeating: 0, count: dimensions)
            let statement = try PreparedStatement(connection, table.plan.vectors())
            while try statement.step() {
                guard Self.read(statement, into: &vector) else { continue }
                sample.total += 1
                let start = dimensions * (sample.total <= limit ? sample.total - 1 : random.index(below: sample.total))
                if start == sample.floats.count {
                    sample.floats += vector
                } else if start < sample.floats.count {
                    sample.floats.replaceSubrange(start..<(start + dimensions), with: vector)
                }
                if sample.total % 10_000 == 0 { try progress(IndexProgress(documentCount: 0, totalDocumentCount: 0)) }
            }
            return sample
        }
    }

    /// Reads the vector in a row of ``VectorPlan/vectors(where:)`` into an array of the index's dimensions; returns false if
    /// the row has none. Those of a lazy index may be another program's.
    static func read(_ row: borrowing PreparedStatement, into vector: inout [Float]) -> Bool {
        unsafe vector.withUnsafeMutableBufferPointer { output in
            row.withBytes(at: 1) { unsafe VectorReader.read(floats: $0, into: output) }
        }
    }

    private func store(
        _ training: (ranges: VectorRanges, centroids: [Float]), _ total: Int, after last: Generation?,
        _ connection: GRDB.Database
    ) throws {
        let newest = try connection.first("SELECT max(generation) FROM \(tables.generations)") {
            $0.optionalInt64(at: 0)
        }
        // Another process has trained meanwhile.
        guard newest == last?.number else { return }
        let number = (newest ?? -1) + 1
        guard number < VectorTables.greatestGeneration else { throw VectorChunks.damage }
        try removeRemains(of: number, connection)
        let token = try SecureRandom.bytes(VectorTables.tokenByteCount)
        try connection.run(
            "INSERT INTO \(tables.generations) VALUES (?1, ?2, 0, 0, ?3, 0, ?4)", number, token, total,
            training.ranges.stored)
        let dimensions = definition.dimensions
        for index in 0..<(training.centroids.count / dimensions) {
            let centroid = training.centroids[(index * dimensions)..<((index + 1) * dimensions)]
            try connection.run(
                "INSERT INTO \(tables.lists) VALUES (?1, ?2)", VectorTables.firstList(of: number) + Int64(index),
                VectorReader.bytes(of: centroid))
        }
    }

    /// Removes rows of generations from a number on, which a damaged or altered file may have without their generations.
    private func removeRemains(of number: Int64, _ connection: GRDB.Database) throws {
        let chunks = VectorTables.chunks(ofGeneration: number)
        try connection.run("DELETE FROM \(tables.chunks) WHERE chunk >= ?1 OR chunk < 0", chunks.lowerBound)
        try connection.run("DELETE FROM \(tables.lists) WHERE list >= ?1", VectorTables.firstList(of: number))
        for name in [tables.places, tables.changes] {
            try connection.run("DELETE FROM \(name) WHERE generation >= ?1", number)
        }
    }

    private func readCentroids(_ generation: Generation, _ connection: GRDB.Database) throws -> [Float] {
        let first = VectorTables.firstList(of: generation.number)
        var floats: [Float] = []
        var centroid = [Float](repeating: 0, count: definition.dimensions)
        let statement = try PreparedStatement(
            connection, "SELECT list, centroid FROM \(tables.lists) WHERE list >= ?1 AND list < ?2 ORDER BY list",
            first,
            VectorTables.firstList(of: generation.number + 1))
        while try statement.step() {
            let place = floats.count / definition.dimensions
            guard place < definition.centroids, statement.int64(at: 0) == first + Int64(place),
                Self.read(statement, into: &centroid)
            else { throw VectorChunks.damage }
            floats += centroid
        }
        guard !floats.isEmpty else { throw VectorChunks.damage }
        return floats
    }

    // MARK: - Entering

    /// Enters the vectors of some documents that were changed or are new.
    ///
    /// - Returns: whether there may be more of them.
    private func enter(
        into newest: Generation, _ centroids: [Float], _ connection: GRDB.Database
    ) throws -> Bool {
        // After a rebuild by another process, generations have the same numbers and other centroids.
        guard let generation = try Generation.all(connection, table).last, generation.token == newest.token else {
            return false
        }
        let number = generation.number
        var batch = Batch(dimensions: definition.dimensions)
        let changed = try connection.rows(
            "SELECT document FROM \(tables.changes) WHERE generation = ?1 LIMIT \(Self.stepDocumentCount)", number
        ) { $0.int64(at: 0) }
        // The others come with the new documents.
        for document in changed where document > 0 && document <= generation.through {
            try batch.add(connection, table.plan.vectors { "\($0) = ?1" }, document)
        }
        let room = Self.stepDocumentCount - changed.count
        let last = try batch.add(
            connection, table.plan.vectors { "\($0) > ?1 ORDER BY \($0) LIMIT ?2" },
            generation.through, limit: room)
        let isDone = last.count < room
        // The documents that have no vector and come after all others.
        let end = isDone ? try connection.integer("SELECT max(number) FROM \(table.documents)") : last.number
        var chunks = VectorChunks(connection, tables, number, generation.codec)
        var added = Int64(batch.documents.count)
        for document in changed where try chunks.remove(document) { added -= 1 }
        try enter(batch, centroids, number, &chunks)
        try chunks.store()
        for document in changed {
            try connection.run(
                "DELETE FROM \(tables.changes) WHERE generation = ?1 AND document = ?2", number, document)
        }
        let through = max(generation.through, end)
        let isWhole = generation.isWhole || isDone && changed.count < Self.stepDocumentCount
        if through != generation.through || added != 0 || isWhole != generation.isWhole {
            try connection.run(
                "UPDATE \(tables.generations) SET through = ?2, entries = entries + ?3, whole = ?4 WHERE generation = ?1",
                number, through, added, isWhole ? 1 : 0)
        }
        return !isDone || changed.count == Self.stepDocumentCount
    }

    /// Vectors of documents, to be entered.
    private struct Batch {
        var documents: [Int64] = []
        /// The vectors one after another.
        var floats: [Float] = []
        private var vector: [Float]

        init(dimensions: Int) { vector = [Float](repeating: 0, count: dimensions) }

        /// Adds the vectors of the documents that a statement with the parameters `value` and `limit` returns.
        ///
        /// - Returns: the number of its rows, and the number of the last document.
        @discardableResult
        mutating func add(
            _ connection: GRDB.Database, _ sql: String, _ value: Int64, limit: Int = 1
        ) throws -> (count: Int, number: Int64) {
            let statement = try PreparedStatement(connection, sql, value, limit)
            var (count, number) = (0, value)
            while try statement.step() {
                (count, number) = (count + 1, statement.int64(at: 0))
                guard VectorUpkeep.read(statement, into: &vector) else { continue }
                floats += vector
                documents.append(number)
            }
            return (count, number)
        }
    }

    private func enter(
        _ batch: Batch, _ centroids: [Float], _ generation: Int64, _ chunks: inout VectorChunks
    ) throws {
        guard !batch.documents.isEmpty else { return }
        let dimensions = definition.dimensions
        var lists = [Int32](repeating: 0, count: batch.documents.count)
        let directions = definition.metric.directions(of: batch.floats, dimensions: dimensions)
        unsafe directions.withUnsafeBufferPointer { directions in
            unsafe centroids.withUnsafeBufferPointer { centroids in
                unsafe lists.withUnsafeMutableBufferPointer { lists in
                    unsafe KMeans.assign(directions, dimensions: dimensions, centroids, to: lists)
                }
            }
        }
        // Entries of one list are written together.
        let first = VectorTables.firstList(of: generation)
        for index in batch.documents.indices.sorted(by: { (lists[$0], $0) < (lists[$1], $1) }) {
            unsafe try batch.floats.withUnsafeBufferPointer { vectors in
                let vector = unsafe UnsafeBufferPointer(
                    rebasing: vectors[(index * dimensions)..<((index + 1) * dimensions)])
                try unsafe chunks.add(batch.documents[index], vector, to: first + Int64(lists[index]))
            }
        }
    }

    // MARK: - Removing

    /// Removes a part of the generations before the newest whole one.
    ///
    /// - Returns: whether there may be more.
    private func removeOld(_ connection: GRDB.Database) throws -> Bool {
        let old = try connection.first(
            """
            SELECT min(generation) FROM \(tables.generations)
            WHERE generation < (SELECT max(generation) FROM \(tables.generations) WHERE whole = 1)
            """
        ) { $0.optionalInt64(at: 0) }
        guard let old else { return false }
        guard old >= 0 else { throw VectorChunks.damage }
        let range = VectorTables.chunks(ofGeneration: old)
        var removed = try connection.run(
            """
            DELETE FROM \(tables.chunks) WHERE chunk IN
                (SELECT chunk FROM \(tables.chunks) WHERE chunk >= ?1 AND chunk < ?2 LIMIT \(Self.removedRowCount / 10))
            """, range.lowerBound, range.upperBound)
        for name in [tables.places, tables.changes] {
            removed += try connection.run(
                """
                DELETE FROM \(name) WHERE generation = ?1 AND document IN
                    (SELECT document FROM \(name) WHERE generation = ?1 LIMIT \(Self.removedRowCount))
                """, old)
        }
        guard removed == 0 else { return true }
        try connection.run(
            "DELETE FROM \(tables.lists) WHERE list >= ?1 AND list < ?2", VectorTables.firstList(of: old),
            VectorTables.firstList(of: old + 1))
        try connection.run("DELETE FROM \(tables.generations) WHERE generation = ?1", old)
        return true
    }
}
