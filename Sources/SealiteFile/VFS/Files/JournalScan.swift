import CSQLite

/// Reads a journal found on disk, and determines how many units it has, whether it is damaged, and whether it belongs
/// to the database's last transaction. `Documentation/FORMAT.md` §8.2.
struct JournalScan {
    let units: JournalUnits
    let main: MainFile

    /// The maximum number of times that the journal is read. Another process may be writing the journal meanwhile, so
    /// it is refused as damaged or stale only if that is found twice with the same preamble.
    private static let attempts = 5

    func run() throws(VFSFailure) -> LiveJournal? {
        var refused: (verdict: VFSFailure, preamble: [UInt8])?
        for _ in 0..<Self.attempts {
            let preamble = try units.base.bytes(JournalLayout.preambleByteCount, at: 0).get()
            do throws(VFSFailure) {
                return try scan(preamble)
            } catch {
                guard let detail = error.detail, [.damagedJournal, .foreignJournal].contains(detail.code) else {
                    throw error
                }
                if let refused, refused.preamble == preamble { throw error }
                refused = (error, preamble)
                sqlite3_sleep(1)
            }
        }
        throw refused?.verdict ?? VFSFailure(SQLITE_IOERR)
    }

    private func scan(_ preamble: [UInt8]) throws(VFSFailure) -> LiveJournal? {
        switch JournalPreamble.read(preamble) {
        case .none:
            return nil
        case .broken:
            // Unit 0 is torn, zeroed or damaged: in each case the preamble's journal is that of unit 0, and rolling it
            // back is right if a page may have been written, which requires a sync.
            guard let first = try unit(0) else { return nil }
            let live = try readUnits(of: JournalPreamble(id: first.id, serial: first.serial))
            return live.syncedUnitCount > 0 ? try checked(live) : nil
        case .whole(let preamble):
            let live = try readUnits(of: preamble)
            return live.unitCount > 0 ? try checked(live) : nil
        }
    }

    private func checked(_ live: LiveJournal) throws(VFSFailure) -> LiveJournal {
        try checkTime(of: live.preamble)
        try checkSuperRecord(of: live)
        return live
    }

    private var unitCount: Int {
        get throws(VFSFailure) { JournalLayout.unitCount(fileByteCount: try units.base.size().get()) }
    }

    private func readUnits(of preamble: JournalPreamble) throws(VFSFailure) -> LiveJournal {
        let live = LiveJournal(preamble: preamble)
        live.hasPreamble = true
        let count = try unitCount
        while live.unitCount < count, let header = try unit(live.unitCount), header.id == preamble.id,
            header.serial == preamble.serial
        {
            live.map.add(unit: live.unitCount, header)
            live.syncedUnitCount = max(live.syncedUnitCount, header.synced)
            live.unitCount += 1
        }
        let highest = try highestSync(id: preamble.id, from: live.unitCount)
        guard max(highest, live.syncedUnitCount) <= live.unitCount else {
            throw VFSFailure(
                .damagedJournal(
                    "its \(JournalLayout.unitByteCount) bytes at offset \(JournalLayout.offset(ofUnit: live.unitCount)) are"
                        + " missing, damaged or left from an older journal, although another part of it says that they were"
                        + " synced to disk"
                ))
        }
        return live
    }

    private func unit(_ index: Int) throws(VFSFailure) -> JournalUnitHeader? {
        try units.open(index) { () throws(VFSFailure) in try main.keys.followHeader() }
    }

    /// Returns the highest number of synced units that an authentic unit of this journal, from index `first` on,
    /// states; 0 if there is no such unit.
    private func highestSync(id: [UInt8], from first: Int) throws(VFSFailure) -> Int {
        var highest = 0
        for index in first..<max(first, try unitCount) {
            guard let header = try unit(index), header.id == id else { continue }
            highest = max(highest, header.synced)
        }
        return highest
    }

    /// Throws `foreignJournal` if page 1 of the database file is authentic and its serial is neither that of the
    /// preamble, from before the journal's transaction, nor the next one, which the transaction gives to page 1. An
    /// older hot journal of the same file is authentic too; only its serial shows that it is old.
    private func checkTime(of preamble: JournalPreamble) throws(VFSFailure) {
        guard let found = try main.reader.serialOnDisk() else { return }
        guard found == preamble.serial || found == preamble.serial &+ 1 else {
            throw VFSFailure(
                SealedFileError(
                    .foreignJournal,
                    "the rollback journal is stale: it was begun when page 1 had serial number \(preamble.serial), and page 1 has \(found)",
                    hint: "the journal isn't that of the file's last transaction: move it away to open the database"))
        }
    }

    private func checkSuperRecord(of live: LiveJournal) throws(VFSFailure) {
        guard let inside = try units.superRecord(of: live), let clear = try units.clearSuperRecord() else { return }
        guard inside == clear else {
            throw VFSFailure(.damagedJournal("the name of its super-journal was changed"))
        }
    }
}

/// The rollback journal of a transaction that has been neither committed nor rolled back: one that this process began,
/// or a hot one that a crash left.
package final class LiveJournal {
    package let preamble: JournalPreamble
    package var map = JournalMap()
    package var unitCount = 0
    var syncedUnitCount = 0
    /// A Boolean value that says whether the preamble on disk names this journal.
    var hasPreamble = false
    /// SQLite's super-journal record and the offset in the file of its clear-text copy, after the last unit; nil if
    /// there is none.
    var superRecord: (bytes: [UInt8], place: Int64)?

    package init(preamble: JournalPreamble) { self.preamble = preamble }
}
