internal import SealiteFile
internal import SealiteMaintenance
internal import SealiteRevisions

/// The state of per-document sync in a damaged file (Documentation/DocumentFormat.md §3.8): the ids of synced
/// documents, unsent writes, pauses and events.
///
/// Readable state is kept as far as it agrees with the salvaged documents. Rows that were found outside of the table's
/// b-tree may be outdated, so all synced documents, except paused ones, are marked to be compared with the remote
/// again.
struct SalvagedSync {
    let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    /// An SQL condition for the stores of local values that contain the state of per-document sync.
    static let stores = "(store = 'sync' OR store GLOB 'sync/*' OR store GLOB 'syncEvents/*')"
    /// The number that is added to the greatest known event number if greater numbers may have been used before the
    /// damage.
    private static let eventReserve: UInt64 = 1 << 24
    private static let batchCount = 500

    /// Restores the state of per-document sync for the collections with the given numbers, and removes the state of all
    /// others.
    func place(_ report: inout SalvagedDocuments, _ numbers: [Int]) throws(SealedFileError) {
        // The list of conflicts may be of another time than the documents that were found.
        try connection.execute("DELETE FROM local_values WHERE store = '\(FormatTables.conflictStore)'")
        let isWhole = salvage.table("local_values")?.isComplete ?? false
        if !isWhole { try placeLost() }
        let mayHaveState = try mayHaveState()
        var isKept = isWhole
        for number in numbers { try place(number, isWhole, &report, &isKept) }
        let kept = numbers.flatMap { ["'sync/\($0)'", "'syncEvents/\($0)'"] }.joined(separator: ", ")
        let names = numbers.map { "'\($0)'" }.joined(separator: ", ")
        try connection.execute(
            """
            DELETE FROM local_values WHERE \(Self.stores) AND store NOT IN (\(kept))
            AND NOT (store = 'sync' AND name IN (\(names)))
            """)
        report.lostSyncState = mayHaveState && !isKept
    }

    /// Returns whether the damaged file may have had state of per-document sync: some of it was found, or the database
    /// has a remote, with which documents may have been synced.
    private func mayHaveState() throws(SealedFileError) -> Bool {
        try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM local_values WHERE \(Self.stores)) OR EXISTS (SELECT 1 FROM remotes)") != 0
    }

    /// Inserts rows of the table `local_values` that were found outside of its b-tree, except events, which would be
    /// delivered out of order.
    private func placeLost() throws(SealedFileError) {
        try connection.execute(
            """
            INSERT OR IGNORE INTO local_values (store, name, revision, value)
            SELECT c0, c1, c2, c3 FROM \(GuidedSalvage.entries)
            WHERE rootpgno NOT IN (\(salvage.knownRoots)) AND nfield = 4 AND typeof(c0) = 'text' AND typeof(c1) = 'text'
            AND typeof(c2) IN ('text', 'null') AND typeof(c3) = 'blob' AND (c0 = 'sync' OR c0 GLOB 'sync/*')
            """)
    }

    private func place(
        _ number: Int, _ isWhole: Bool, _ report: inout SalvagedDocuments, _ isKept: inout Bool
    ) throws(SealedFileError) {
        let stored = try value(SyncSpace.store, "\(number)")
        let found = stored.flatMap { try? SyncSpace($0) }
        var space = found ?? SyncSpace()
        var count = 0
        try forEachValue(of: "sync/\(number)") { (id, value) throws(SealedFileError) in
            if let record = try? SyncRecord(value), try place(record, id, number, space) {
                count += 1
            } else {
                if (try? SyncRecord(value)) == nil { isKept = false }
                try remove("sync/\(number)", id)
            }
        }
        guard stored != nil || count > 0 else { return }
        if found == nil { isKept = false }
        try placeEvents(number, &space, isWhole && found != nil, &isKept)
        // It is unknown whether a session was open, or whether documents were written by another way than the sync.
        // Assuming both is safe: documents are then compared once more than necessary.
        space.sessions |= 1
        (space.hasOthers, space.isCaughtUp, space.mayBeStale) = (true, false, true)
        try set(SyncSpace.store, "\(number)", space.stored)
        report.syncedDocumentCount += count
    }

    // MARK: - Records

    /// Stores the sync record of a document, with its pending change corrected to agree with the salvaged document.
    ///
    /// - Returns: false if nothing was stored, because the remote has the document's deletion, which ends its sync.
    private func place(
        _ record: SyncRecord, _ id: String, _ number: Int, _ space: SyncSpace
    ) throws(SealedFileError) -> Bool {
        var record = record
        let document = try document(id, number, space.remote)
        switch (document, record.pending) {
        case (.none, _), (.live(isSent: true, _), _): (record.pending, record.base) = (nil, nil)
        case (.deleted(isSent: true, _), _): return false
        case (.deleted(_, hasChanged: false), .none): break
        case (.deleted, _): record.pending = .delete
        case (.live, .delete): record.pending = record.base == nil ? .insert : .replace
        case (.live(_, hasChanged: true), .none): record.pending = .replace
        case (.live, _): break
        }
        record.staleAt = record.pause == nil ? space.lookups : nil
        try connection.query(
            "UPDATE local_values SET revision = ?3, value = ?4 WHERE store = ?1 AND name = ?2",
            bind: [
                .text("sync/\(number)"), .text(id), record.staleAt == nil ? .null : .text("stale"),
                .blob(record.stored),
            ])
        return true
    }

    private enum DocumentState {
        case none
        /// A tombstone. `isSent` says whether the remote is known to have the current revision, `hasChanged` whether
        /// the remote is known to have another one.
        case deleted(isSent: Bool, hasChanged: Bool)
        case live(isSent: Bool, hasChanged: Bool)
    }

    private func document(_ id: String, _ number: Int, _ remote: Int?) throws(SealedFileError) -> DocumentState {
        var state = DocumentState.none
        try connection.query("SELECT flags, revision, tree FROM documents_\(number) WHERE id = ?1", bind: [.text(id)]) {
            (row) throws(SealedFileError) in
            let isDeleted = row.integer(0) & 1 != 0
            let node = RevisionID(stored: row.blob(1)).flatMap { current in
                let tree = try? RevisionTree(stored: row.optionalBlob(2), current: current, isDeleted: isDeleted)
                return remote.flatMap { tree?.remotes[$0] }
            }
            let (isSent, hasChanged) = (node == 0, node.map { $0 != 0 } ?? false)
            state =
                isDeleted
                ? .deleted(isSent: isSent, hasChanged: hasChanged) : .live(isSent: isSent, hasChanged: hasChanged)
        }
        return state
    }

    // MARK: - Events

    /// Keeps the readable events, and sets the number of the next event so that no number is used twice.
    private func placeEvents(
        _ number: Int, _ space: inout SyncSpace, _ isWhole: Bool, _ isKept: inout Bool
    ) throws(SealedFileError) {
        let store = "syncEvents/\(number)"
        var first: UInt64?
        try forEachValue(of: store) { (name, value) throws(SealedFileError) in
            if let event = try? SyncEvent(name: name, documentID: "", stored: value), event.name == name,
                event.number < UInt64(Int64.max) - Self.eventReserve * 2
            {
                first = first ?? event.number
                space.nextEvent = max(space.nextEvent, event.number + 1)
            } else {
                isKept = false
                try remove(store, name)
            }
        }
        if !isWhole { space.nextEvent = min(space.nextEvent + Self.eventReserve, UInt64(Int64.max) - 1) }
        space.firstEvent = first ?? space.nextEvent
    }

    // MARK: - Rows

    /// Calls `body` with each value of a store, in the order of the names, of which a page is read at a time.
    private func forEachValue(
        of store: String, _ body: (_ name: String, _ value: [UInt8]) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var last = ""
        while true {
            let page = try connection.rows(
                "SELECT name, value FROM local_values WHERE store = ?1 AND name > ?2 ORDER BY name LIMIT \(Self.batchCount)",
                bind: [.text(store), .text(last)]
            ) { ($0.text(0) ?? "", $0.blob(1)) }
            guard let end = page.last?.0, last.utf8.lexicographicallyPrecedes(end.utf8) else { return }
            for (name, value) in page { try body(name, value) }
            last = end
        }
    }

    private func value(_ store: String, _ name: String) throws(SealedFileError) -> [UInt8]? {
        try connection.rows(
            "SELECT value FROM local_values WHERE store = ?1 AND name = ?2", bind: [.text(store), .text(name)]
        ) { $0.blob(0) }.first
    }

    private func set(_ store: String, _ name: String, _ value: [UInt8]) throws(SealedFileError) {
        try connection.query(
            "INSERT OR REPLACE INTO local_values (store, name, value) VALUES (?1, ?2, ?3)",
            bind: [.text(store), .text(name), .blob(value)])
    }

    private func remove(_ store: String, _ name: String) throws(SealedFileError) {
        try connection.query(
            "DELETE FROM local_values WHERE store = ?1 AND name = ?2", bind: [.text(store), .text(name)])
    }
}
