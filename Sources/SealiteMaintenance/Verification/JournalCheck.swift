import CSQLite
import SealiteFile

/// Examines a rollback journal without rolling it back: which units are valid, which are damaged, and whether it
/// belongs to the database's current state. `Documentation/FORMAT.md` §8.2.
struct JournalCheck {
    private let base: BaseFile
    private let units: JournalUnits
    /// The page-one serial of page 1 in the database file; nil if that page isn't authentic.
    private let serialOnDisk: UInt32?

    private(set) var summary = JournalSummary(state: .finished)
    private(set) var findings = FindingList()

    init(base: BaseFile, ring: KeyRing, serialOnDisk: UInt32?) {
        self.base = base
        units = JournalUnits(base: base, ring: ring)
        self.serialOnDisk = serialOnDisk
    }

    mutating func run() throws(VFSFailure) {
        switch JournalPreamble.read(try base.bytes(JournalLayout.preambleByteCount, at: 0).get()) {
        case .none: return
        case .broken:
            // The preamble's journal is that of unit 0, and it is live if a page may have been written, which requires
            // a sync.
            guard let first = try unit(0) else { return noteUselessness() }
            try check(JournalPreamble(id: first.id, serial: first.serial), isTorn: true)
        case .whole(let preamble):
            try check(preamble, isTorn: false)
            if summary.state == .finished { noteUselessness() }
        }
    }

    /// Records a note that no unit of the journal can be used. The journal may be torn or belong to another file, which
    /// can't be told apart. It is no damage: after a restore, the previous file's journal may lie beside the restored
    /// database for a short time, and both files must open.
    private mutating func noteUselessness() {
        findings.add(
            .note, .foreignJournal, .journalUnit, nil,
            "no unit of the rollback journal is authentic: the journal belongs to another database, or a power failure destroyed its"
                + " beginning. The next writer removes it: if it has replaced the database's own journal, put that one"
                + " back first")
    }

    private var roomCount: Int {
        get throws(VFSFailure) { JournalLayout.unitCount(fileByteCount: try base.size().get()) }
    }

    private func unit(_ index: Int) throws(VFSFailure) -> JournalUnitHeader? {
        try units.open(index) { () throws(VFSFailure) in }
    }

    private mutating func refuse(
        _ code: SealedFileError.Code, _ places: ClosedRange<Int>?, _ reason: String, several: String? = nil
    ) {
        summary.state = .refused
        findings.add(.damage, code, .journalUnit, places, reason, several: several)
    }

    private mutating func check(_ preamble: JournalPreamble, isTorn: Bool) throws(VFSFailure) {
        let count = try roomCount
        let live = LiveJournal(preamble: preamble)
        var synced = 0
        while live.unitCount < count, let header = try unit(live.unitCount), header.id == preamble.id,
            header.serial == preamble.serial
        {
            live.map.add(unit: live.unitCount, header)
            synced = max(synced, header.synced)
            live.unitCount += 1
        }
        summary.unitCount = live.unitCount
        summary.state = live.unitCount > 0 ? .hot : .finished
        for index in live.unitCount..<max(live.unitCount, count) {
            if let header = try unit(index), header.id == preamble.id { synced = max(synced, header.synced) }
        }
        if isTorn, synced == 0 {
            summary = JournalSummary(state: .finished)
            return
        }
        if isTorn {
            findings.add(
                .note, .damagedJournal, .journalUnit, nil,
                "the preamble of the rollback journal is damaged, but its first unit has the same information")
        }
        try reportDamage(live.unitCount..<max(live.unitCount, synced), preamble, room: count)
        checkTime(preamble)
        if summary.state == .hot { try checkSuperRecord(live) }
    }

    /// Reports those of the given units that are missing or damaged although another unit says that they were synced.
    private mutating func reportDamage(
        _ range: Range<Int>, _ preamble: JournalPreamble, room: Int
    ) throws(VFSFailure) {
        for index in range.lowerBound..<max(range.lowerBound, min(range.upperBound, room)) {
            if let header = try unit(index), header.id == preamble.id, header.serial == preamble.serial { continue }
            summary.damagedCount += 1
            refuse(
                .damagedJournal, index...index,
                "isn't authentic, although another unit of the journal records that it was synced to disk",
                several: "aren't authentic, although another unit of the journal records that they were synced to disk")
        }
        // The number of synced units comes from a unit and may be anything, so it isn't used as a loop bound.
        let missing = max(range.lowerBound, room)..<max(range.lowerBound, room, range.upperBound)
        guard let last = missing.last else { return }
        summary.damagedCount += missing.count
        refuse(
            .damagedJournal, missing.lowerBound...last,
            "is missing, although another unit records that it was synced to disk",
            several: "are missing, although another unit records that they were synced to disk")
    }

    private mutating func checkTime(_ preamble: JournalPreamble) {
        guard summary.unitCount > 0, let serialOnDisk else { return }
        guard serialOnDisk != preamble.serial, serialOnDisk != preamble.serial &+ 1 else { return }
        refuse(
            .foreignJournal, nil,
            "the rollback journal is stale: it is for a database whose page 1 has the serial \(preamble.serial), and page 1 has the "
                + "serial \(serialOnDisk)")
    }

    private mutating func checkSuperRecord(_ live: LiveJournal) throws(VFSFailure) {
        guard let inside = try units.superRecord(of: live), let clear = try units.clearSuperRecord() else { return }
        guard inside != clear else { return }
        refuse(.damagedJournal, nil, "the name of the super-journal, at the end of the rollback journal, was changed")
    }
}

extension SealedDatabase {
    /// Returns the page-one serial of page 1 in the database file, which `main` has open; nil if that page isn't
    /// authentic.
    func serialOfPageOne(_ main: BaseHandle) throws(SealedFileError) -> UInt32? {
        let sealed = PageCodec(ring: ring, use: .main)
        return try SealedFileError.mapping { () throws(VFSFailure) in
            let code = unsafe main.file.read(into: sealed.scratch, sealed.pageSize, at: sealed.offset(of: 1))
            guard code == SQLITE_OK, case .opened(let serial) = unsafe try sealed.open(sealed.scratch, number: 1) else {
                return nil
            }
            return serial
        }
    }
}
