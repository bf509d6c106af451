internal import GRDB
internal import SealiteBase
internal import SealiteFunctions
internal import SealiteVectors

/// The chunks of a generation's lists that one transaction changes (Documentation/DocumentFormat.md §3.9). They are read when
/// they are needed first, and written by ``store()``.
struct VectorChunks {
    private struct Chunk {
        var count: Int
        var bytes: [UInt8]
        var isStored: Bool
    }

    private let connection: GRDB.Database
    private let tables: VectorTables
    private let generation: Int64
    private let codec: VectorCodec
    private var chunks: [Int64: Chunk] = [:]
    /// The last chunks of lists; nil for a list without one.
    private var last: [Int64: Int64?] = [:]

    init(_ connection: GRDB.Database, _ tables: VectorTables, _ generation: Int64, _ codec: VectorCodec) {
        (self.connection, self.tables, self.generation, self.codec) = (connection, tables, generation, codec)
    }

    /// Adds an entry for a document's vector to a list.
    mutating func add(_ document: Int64, _ vector: UnsafeBufferPointer<Float>, to list: Int64) throws {
        let range = VectorTables.chunks(of: list)
        var number = try lastChunk(of: list) ?? range.lowerBound - 1
        if number < range.lowerBound || chunks[number]?.count == codec.capacity {
            number += 1
            guard range.contains(number) else { throw Self.damage }
            // One that the same transaction has emptied is in the file.
            chunks[number] = Chunk(
                count: 0, bytes: [UInt8](repeating: 0, count: codec.chunkByteCount),
                isStored: chunks[number]?.isStored ?? false)
            last[list] = number
        }
        let place = chunks[number]?.count ?? 0
        assert(place < codec.capacity, "the last chunk of a list has room")
        unsafe chunks[number]?.bytes.withUnsafeMutableBytes {
            unsafe codec.write(document, vector, at: place, to: $0)
        }
        chunks[number]?.count = place + 1
        try connection.run(
            "INSERT OR REPLACE INTO \(tables.places) VALUES (?1, ?2, ?3)", generation, document, number)
    }

    /// Removes the entry of a document, if it has one: the last entry of the list takes its place.
    ///
    /// - Returns: whether there was an entry.
    mutating func remove(_ document: Int64) throws -> Bool {
        let found = try connection.first(
            "SELECT chunk FROM \(tables.places) WHERE generation = ?1 AND document = ?2", generation, document
        ) { $0.int64(at: 0) }
        guard let number = found else { return false }
        guard VectorTables.chunks(ofGeneration: generation).contains(number) else { throw Self.damage }
        let list = VectorTables.list(ofChunk: number)
        try load(number)
        guard let end = try lastChunk(of: list), let place = place(of: document, in: number),
            let endCount = chunks[end]?.count, endCount > 0
        else { throw Self.damage }
        if end != number || place != endCount - 1 { try moveLast(of: end, to: place, of: number) }
        try removeLast(of: end, in: list)
        try connection.run("DELETE FROM \(tables.places) WHERE generation = ?1 AND document = ?2", generation, document)
        return true
    }

    private func place(of document: Int64, in number: Int64) -> Int? {
        guard let chunk = chunks[number] else { return nil }
        return unsafe chunk.bytes.withUnsafeBytes { bytes in
            (0..<chunk.count).first { unsafe codec.document(at: $0, in: bytes) == document }
        }
    }

    private mutating func moveLast(of end: Int64, to place: Int, of number: Int64) throws {
        guard let source = chunks[end] else { throw Self.damage }
        var moved: Int64 = 0
        unsafe source.bytes.withUnsafeBytes { from in
            moved = unsafe codec.document(at: source.count - 1, in: from)
            unsafe chunks[number]?.bytes.withUnsafeMutableBytes {
                unsafe codec.move(from: source.count - 1, of: from, to: place, of: $0)
            }
        }
        let changed = try connection.run(
            "UPDATE \(tables.places) SET chunk = ?3 WHERE generation = ?1 AND document = ?2", generation, moved, number)
        guard changed == 1 else { throw Self.damage }
    }

    private mutating func removeLast(of end: Int64, in list: Int64) throws {
        guard let count = chunks[end]?.count, count > 0 else { throw Self.damage }
        chunks[end]?.count = count - 1
        unsafe chunks[end]?.bytes.withUnsafeMutableBytes { unsafe codec.clear(count - 1, in: $0) }
        guard count == 1 else { return }
        let previous = end - 1
        last[list] = VectorTables.chunks(of: list).contains(previous) ? previous : Int64?.none
        if let chunk = last[list] ?? nil { try load(chunk) }
    }

    private mutating func lastChunk(of list: Int64) throws -> Int64? {
        if let known = last[list] { return known }
        let range = VectorTables.chunks(of: list)
        let found = try connection.first(
            "SELECT max(chunk) FROM \(tables.chunks) WHERE chunk >= ?1 AND chunk < ?2", range.lowerBound,
            range.upperBound
        ) { $0.optionalInt64(at: 0) }
        last[list] = .some(found)
        if let found { try load(found) }
        return found
    }

    private mutating func load(_ number: Int64) throws {
        guard chunks[number] == nil else { return }
        let found = try connection.first("SELECT count, entries FROM \(tables.chunks) WHERE chunk = ?1", number) {
            row in
            row.bytes(at: 1).map { Chunk(count: Int(clamping: row.int64(at: 0)), bytes: $0, isStored: true) }
        }
        guard let found, (1...codec.capacity).contains(found.count), found.bytes.count == codec.chunkByteCount else {
            throw Self.damage
        }
        chunks[number] = found
    }

    /// Writes the changed chunks, and removes the empty ones.
    mutating func store() throws {
        for (number, chunk) in chunks.sorted(by: { $0.key < $1.key }) {
            if chunk.count == 0 {
                if chunk.isStored { try connection.run("DELETE FROM \(tables.chunks) WHERE chunk = ?1", number) }
            } else if chunk.isStored {
                // Of a BLOB of the same size SQLite writes only the pages that differ.
                try connection.run(
                    "UPDATE \(tables.chunks) SET count = ?2, entries = ?3 WHERE chunk = ?1", number, chunk.count,
                    chunk.bytes)
            } else {
                try connection.run("INSERT INTO \(tables.chunks) VALUES (?1, ?2, ?3)", number, chunk.count, chunk.bytes)
            }
        }
        chunks = [:]
        last = [:]
    }

    static var damage: DatabaseError {
        DatabaseError(
            .corruptData, "the tables of a vector index are damaged", hint: DatabaseRemedy.rebuildIndex.hint)
    }
}
