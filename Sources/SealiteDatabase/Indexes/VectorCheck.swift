internal import GRDB
internal import SealiteFunctions
internal import SealiteVectors

/// Compares a vector index with the documents of its collection (Documentation/DocumentFormat.md §3.9).
struct VectorCheck {
    /// The connection, through which the check only reads.
    let connection: GRDB.Database
    let table: VectorTable

    private var tables: VectorTables { table.tables }

    /// Returns a description of a flaw; nil if there is none. `progress` is called with the part of the work that is done.
    func flaw(_ progress: (Double) throws -> Void) throws -> String? {
        let generations: [VectorUpkeep.Generation]
        do {
            generations = try VectorUpkeep.Generation.all(connection, table)
        } catch let error as DatabaseError where error.code == .corruptData {
            return "a generation of it is damaged"
        }
        var known: Int64 = 0
        for generation in generations {
            // A generation that is being removed isn't read any more.
            if generations.contains(where: { $0.isWhole && $0.number > generation.number }) {
                let range = VectorTables.chunks(ofGeneration: generation.number)
                known += try connection.integer(
                    "SELECT count(*) FROM \(tables.chunks) WHERE chunk >= ?1 AND chunk < ?2", range.lowerBound,
                    range.upperBound)
                continue
            }
            if let flaw = try centroidFlaw(generation) { return flaw }
            let (found, flaw) = try entryFlaw(generation, progress)
            if let flaw { return flaw }
            known += found
        }
        let chunks = try connection.integer("SELECT count(*) FROM \(tables.chunks)")
        return chunks == known ? nil : "\(chunks - known) of its chunks belong to no generation"
    }

    private func centroidFlaw(_ generation: VectorUpkeep.Generation) throws -> String? {
        let lists = try connection.first(
            "SELECT count(*), sum(length(centroid) <> ?3) FROM \(tables.lists) WHERE list >= ?1 AND list < ?2",
            VectorTables.firstList(of: generation.number), VectorTables.firstList(of: generation.number + 1),
            table.definition.dimensions * 4
        ) { (count: $0.int64(at: 0), wrong: $0.int64(at: 1)) }
        guard let lists, lists.count > 0, lists.wrong == 0 else { return "its centroids are damaged" }
        return nil
    }

    /// Returns the number of chunks of a generation, and a flaw of their entries.
    private func entryFlaw(
        _ generation: VectorUpkeep.Generation, _ progress: (Double) throws -> Void
    ) throws -> (chunkCount: Int64, flaw: String?) {
        let changed = Set(
            try connection.rows("SELECT document FROM \(tables.changes) WHERE generation = ?1", generation.number) {
                $0.int64(at: 0)
            })
        let range = VectorTables.chunks(ofGeneration: generation.number)
        var (chunkCount, entryCount, unchangedCount, wrong): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
        let statement = try PreparedStatement(
            connection, "SELECT chunk, count, entries FROM \(tables.chunks) WHERE chunk >= ?1 AND chunk < ?2",
            range.lowerBound, range.upperBound)
        while try statement.step() {
            chunkCount += 1
            let count = Int(clamping: statement.int64(at: 1))
            guard let bytes = statement.bytes(at: 2), bytes.count == generation.codec.chunkByteCount,
                (1...generation.codec.capacity).contains(count)
            else { return (chunkCount, "a chunk of it is damaged") }
            let documents = unsafe bytes.withUnsafeBytes { bytes in
                (0..<count).map { unsafe generation.codec.document(at: $0, in: bytes) }
            }
            let expected = try expected(documents, changed, generation, statement.int64(at: 0), bytes)
            if expected != bytes { wrong += 1 }
            entryCount += Int64(count)
            unchangedCount += Int64(documents.count { !changed.contains($0) })
            try progress(min(Double(entryCount) / Double(max(generation.entries, 1)), 1) * 0.9)
        }
        if wrong > 0 { return (chunkCount, "\(wrong) of its \(chunkCount) chunks don't agree with the documents") }
        let places = try connection.integer(
            "SELECT count(*) FROM \(tables.places) WHERE generation = ?1", generation.number)
        let wanted = try vectorCount(through: generation.through, changed)
        guard places == entryCount, generation.entries == entryCount, wanted == unchangedCount else {
            return (
                chunkCount,
                "it has \(unchangedCount) entries of unchanged documents, of which there are \(wanted), and \(places) places for \(entryCount) entries"
            )
        }
        return (chunkCount, nil)
    }

    /// Returns the bytes that a chunk with the entries of these documents has; those of changed documents are taken as they
    /// are. Nil if one of the documents shouldn't be there.
    private func expected(
        _ documents: [Int64], _ changed: Set<Int64>, _ generation: VectorUpkeep.Generation, _ chunk: Int64,
        _ bytes: [UInt8]
    ) throws -> [UInt8]? {
        let codec = generation.codec
        var made = [UInt8](repeating: 0, count: bytes.count)
        var vector = [Float](repeating: 0, count: table.definition.dimensions)
        for (place, document) in documents.enumerated() {
            let isPlaced = try connection.hasRow(
                "SELECT 1 FROM \(tables.places) WHERE generation = ?1 AND document = ?2 AND chunk = ?3",
                generation.number, document, chunk)
            guard isPlaced else { return nil }
            if changed.contains(document) {
                unsafe bytes.withUnsafeBytes { from in
                    unsafe made.withUnsafeMutableBytes { unsafe codec.move(from: place, of: from, to: place, of: $0) }
                }
                continue
            }
            let isRead = try connection.first(table.plan.vectors { "\($0) = ?1" }, document) {
                VectorUpkeep.read($0, into: &vector)
            }
            guard isRead == true else { return nil }
            unsafe vector.withUnsafeBufferPointer { floats in
                unsafe made.withUnsafeMutableBytes { unsafe codec.write(document, floats, at: place, to: $0) }
            }
        }
        return made
    }

    /// Returns the number of documents up to a number that have a vector and haven't changed.
    private func vectorCount(through: Int64, _ changed: Set<Int64>) throws -> Int64 {
        var count: Int64 = 0
        var vector = [Float](repeating: 0, count: table.definition.dimensions)
        let statement = try PreparedStatement(connection, table.plan.vectors { "\($0) > 0 AND \($0) <= ?1" }, through)
        while try statement.step() {
            if VectorUpkeep.read(statement, into: &vector), !changed.contains(statement.int64(at: 0)) { count += 1 }
        }
        return count
    }
}
