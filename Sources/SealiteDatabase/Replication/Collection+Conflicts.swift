internal import GRDB

// The documents whose conflicts wait for resolution. Each session of a replicator begins by looking for them.
extension Collection {
    /// Returns the ids and sequences of at most `limit` documents with a conflict that waits for resolution, and whose
    /// sequence is greater than `sequence`, in the order of their sequences. Up to the sequence of the last call of
    /// ``noteConflicts()`` no other documents are read.
    package func conflictedDocuments(after sequence: UInt64, limit: Int) throws -> [(id: String, sequence: UInt64)] {
        try database.reading { connection in
            let note = try self.conflictNote(connection)
            let start = Int64(clamping: sequence)
            var found: [(id: String, sequence: UInt64)] = []
            for noted in note.sequences where noted > start && found.count < limit {
                let id = try connection.first(
                    "SELECT id FROM \(self.sql.table) WHERE sequence = ?1 AND flags & 2", noted
                ) { try $0.documentID(at: 0) }
                if let id { found.append((id, UInt64(noted))) }
            }
            var last = UInt64(max(start, note.through))
            found += try connection.rows(
                "SELECT id, sequence FROM \(self.sql.table) WHERE flags & 2 AND sequence > ?1 ORDER BY sequence LIMIT ?2",
                Int64(clamping: last), limit - found.count
            ) { row in
                let next = UInt64(try row.sequence(at: 1))
                guard next > last else { throw DatabaseError.disorder("sequences", in: self.sql.table) }
                last = next
                return (try row.documentID(at: 0), next)
            }
            return found
        }
    }

    /// Stores which documents have a conflict, for ``conflictedDocuments(after:limit:)``, if many changes were made since
    /// it was stored last, and nobody else is writing: another session can store it.
    package func noteConflicts() throws {
        let note: ConflictNote? = try database.reading { connection in
            let before = try self.conflictNote(connection)
            var through = try self.lastSequence(connection)
            guard through - before.through >= ConflictNote.unreadLimit else { return nil }
            var sequences: [Int64] = []
            for noted in before.sequences
            where try connection.hasRow("SELECT 1 FROM \(self.sql.table) WHERE sequence = ?1 AND flags & 2", noted) {
                sequences.append(noted)
            }
            let room = ConflictNote.countLimit - sequences.count
            let added = try connection.rows(
                """
                SELECT sequence FROM \(self.sql.table) WHERE flags & 2 AND sequence > ?1 AND sequence <= ?2
                ORDER BY sequence LIMIT ?3
                """, before.through, through, room + 1
            ) { try $0.sequence(at: 0) }
            // A note that would be too long ends before the first conflict that it has no room for.
            if added.count > room, let next = added.last { through = next - 1 }
            return ConflictNote(through: through, sequences: sequences + added.prefix(room))
        }
        guard let note else { return }
        do {
            try database.writer.performIfIdle(database) { transaction in
                // The collection may have been deleted meanwhile.
                guard try self.lastSequence(transaction.connection) >= note.through else { return }
                try transaction.connection.setLocalValue(FormatTables.conflictStore, String(self.number), note.stored)
            }
        } catch let error as DatabaseError where error.code == .busy {}
    }

    private func conflictNote(_ connection: GRDB.Database) throws -> ConflictNote {
        try ConflictNote.read(ofCollection: number, connection) ?? ConflictNote(through: 0, sequences: [])
    }
}

/// The documents of a collection that have a conflict, as stored (Documentation/DocumentFormat.md §3, store `conflicts`).
struct ConflictNote {
    /// The number of changes that a search for conflicts reads before a new note is stored.
    static let unreadLimit: Int64 = 1_000
    /// The maximum number of documents in a note.
    static let countLimit = 1_000

    /// The sequence up to which documents that the note doesn't have are without conflict. Each change of a document
    /// gives it a greater sequence than all before, and none but a change makes a conflict.
    let through: Int64
    /// The sequences of documents with a conflict, ascending. Once a conflict is resolved, no row has its sequence.
    let sequences: [Int64]

    init(through: Int64, sequences: [Int64]) {
        assert(sequences.count <= Self.countLimit && sequences.allSatisfy { $0 <= through })
        (self.through, self.sequences) = (through, sequences)
    }

    /// Reads the note of a collection; nil if there is none, or none that is sound.
    static func read(ofCollection number: Int, _ connection: GRDB.Database) throws -> ConflictNote? {
        guard let value = try connection.localValue(FormatTables.conflictStore, String(number))?.value,
            !value.isEmpty, value.count % 8 == 0, value.count <= 8 * (1 + countLimit)
        else { return nil }
        let numbers = stride(from: 0, to: value.count, by: 8).compactMap { start in
            UInt64(bigEndianBytes: Array(value[start..<start + 8])).flatMap { Int64(exactly: $0) }
        }
        guard numbers.count == value.count / 8, let through = numbers.first else { return nil }
        let sequences = Array(numbers.dropFirst())
        guard zip(sequences, sequences.dropFirst()).allSatisfy(<), sequences.last.map({ $0 <= through }) ?? true else {
            return nil
        }
        return ConflictNote(through: through, sequences: sequences)
    }

    /// The bytes in the database: `through` and then the sequences, 8 bytes each, big-endian.
    var stored: [UInt8] { ([through] + sequences).flatMap { UInt64(clamping: $0).bigEndianBytes } }
}
