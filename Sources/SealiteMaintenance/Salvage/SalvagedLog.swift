import CSQLite
import SealiteFile

/// The write-ahead log of a damaged database: the newest authentic frame of each page, up to the last readable commit.
/// Lost frames don't end it: frames before a commit of the same log were committed.
@safe final class SalvagedLog {
    private let handle: BaseHandle
    private let pages: PageCodec
    private let frameByteCount: Int
    private let buffer: UnsafeMutableRawPointer
    /// The index of the frame with the newest content of each page, by page number.
    private(set) var newest: [UInt32: UInt32] = [:]
    /// The number of pages in the database after the last commit; nil if no commit is readable.
    private(set) var pageCount: UInt32?
    private(set) var frameCount = 0
    private(set) var lostFrameCount = 0
    var highestPage: UInt32 { newest.keys.max() ?? 0 }

    init(_ handle: BaseHandle, ring: KeyRing) throws(SealedFileError) {
        self.handle = handle
        pages = PageCodec(ring: ring, use: .wal)
        frameByteCount = ring.pageSize + WALHeader.frameHeaderByteCount
        unsafe buffer = .allocate(byteCount: frameByteCount, alignment: 64)
        unsafe memset(buffer, 0, frameByteCount)
        try SealedFileError.mapping { () throws(VFSFailure) in try scan() }
    }

    deinit {
        unsafe memset(buffer, 0, frameByteCount)
        unsafe buffer.deallocate()
    }

    private func scan() throws(VFSFailure) {
        let header = try handle.file.bytes(WALHeader.byteCount, at: 0).get()
        let size = try handle.file.size().get()
        guard header.count == WALHeader.byteCount else { return }
        unsafe header.withUnsafeBytes { unsafe pages.bind(walHeader: $0) }
        let count = UInt32(clamping: (size - Int64(WALHeader.byteCount)) / Int64(frameByteCount))
        var pending: [(page: UInt32, frame: UInt32)] = []
        var lost = 0
        for index in 0..<count {
            guard open(index) else {
                lost += 1
                continue
            }
            pending.append((word(0), index))
            guard word(4) != 0 else { continue }
            for (page, frame) in pending { newest[page] = frame }
            frameCount += pending.count
            pageCount = word(4)
            pending = []
            // After the last commit follow frames of an earlier log, which are old rather than lost.
            lostFrameCount += lost
            lost = 0
        }
        if let pageCount { newest = newest.filter { $0.key <= pageCount } }
    }

    private func open(_ index: UInt32) -> Bool {
        let offset = Int64(WALHeader.byteCount) + Int64(index) * Int64(frameByteCount)
        guard unsafe handle.file.read(into: buffer, frameByteCount, at: offset) == SQLITE_OK else { return false }
        let opening = try? unsafe pages.open(buffer, number: index)
        guard case .opened? = opening else { return false }
        return true
    }

    private func word(_ offset: Int) -> UInt32 {
        unsafe UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns a page's content from the log; nil if the log doesn't contain it.
    func page(_ number: UInt32) -> [UInt8]? {
        guard let frame = newest[number], open(frame) else { return nil }
        return unsafe Array(
            UnsafeRawBufferPointer(start: buffer + WALHeader.frameHeaderByteCount, count: pages.pageSize))
    }
}

/// The readable part of a hot rollback journal beside a damaged database: pages as they were before the uncommitted
/// transaction. The journal isn't rolled back into the file.
final class SalvagedJournal {
    /// The journal file, kept open while the units are read.
    private let handle: BaseHandle
    private let units: JournalUnits
    private let live: LiveJournal
    private let pageSize: Int
    /// The offset of each page's original content in the decrypted journal, by page number.
    private var places: [UInt32: Int64] = [:]
    /// The number of pages in the database before the transaction.
    private(set) var pageCount: UInt32 = 0
    /// The number of synced units (encrypted blocks of the journal) that are missing: the pages they held stay as the
    /// uncommitted transaction left them.
    private(set) var lostUnitCount = 0
    var restoredPageCount: Int { places.count }

    /// Opens the journal; nil if there is none or it is finished, stale, or belongs to a super-journal that no longer
    /// exists, which `fileExists` determines. `serialOnDisk` is the page-one serial of the file's page 1, nil if that
    /// page is lost.
    init?(
        _ handle: BaseHandle, ring: KeyRing, serialOnDisk: UInt32?, fileExists: (String) -> Bool
    ) throws(SealedFileError) {
        self.handle = handle
        units = JournalUnits(base: handle.file, ring: ring)
        pageSize = ring.pageSize
        let units = units
        let found = try SealedFileError.mapping { () throws(VFSFailure) in try Self.begin(units) }
        guard let found else { return nil }
        live = LiveJournal(preamble: found.preamble)
        if let serial = serialOnDisk, serial != live.preamble.serial, serial != live.preamble.serial &+ 1 { return nil }
        let synced = try SealedFileError.mapping { () throws(VFSFailure) in try readUnits() }
        if found.isTorn, synced == 0 { return nil }
        guard live.unitCount > 0 else { return nil }
        // A damaged journal's record can't be read; the journal is then used.
        let record = try? units.superRecord(of: live)
        if let record, !fileExists(String(decoding: record.dropFirst(4).dropLast(16), as: UTF8.self)) { return nil }
        findPages()
    }

    private static func begin(_ units: JournalUnits) throws(VFSFailure) -> (preamble: JournalPreamble, isTorn: Bool)? {
        switch JournalPreamble.read(try units.base.bytes(JournalLayout.preambleByteCount, at: 0).get()) {
        case .none: return nil
        case .whole(let preamble): return (preamble, false)
        case .broken:
            guard let first = try units.open(0, followHeader: {}) else { return nil }
            return (JournalPreamble(id: first.id, serial: first.serial), true)
        }
    }

    /// Reads every authentic unit, skipping damaged ones. Returns the number of units that, according to them, were
    /// synced.
    private func readUnits() throws(VFSFailure) -> Int {
        var (synced, isThere) = (0, Set<Int>())
        for index in 0..<JournalLayout.unitCount(fileByteCount: try units.base.size().get()) {
            guard let header = try? units.open(index, followHeader: {}), header.id == live.preamble.id,
                header.serial == live.preamble.serial
            else { continue }
            live.map.add(unit: index, header)
            live.unitCount = index + 1
            synced = max(synced, header.synced)
            isThere.insert(index)
        }
        lostUnitCount = (0..<synced).count { !isThere.contains($0) }
        return synced
    }

    // MARK: SQLite's own journal, https://sqlite.org/fileformat2.html#the_rollback_journal

    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    private static let headerByteCount = 28

    private func findPages() {
        var place: Int64 = 0
        var isFirst = true
        while let header = bytes(Self.headerByteCount, at: place), header.starts(with: Self.magic) {
            let start = header.bigEndian32(at: 12)
            let sector = Int64(header.bigEndian32(at: 20))
            guard (32...65536).contains(sector), sector & (sector - 1) == 0 else { return }
            if isFirst { pageCount = header.bigEndian32(at: 16) }
            isFirst = false
            let recordByteCount = Int64(pageSize + 8)
            let room = max(0, (live.map.byteCount - place - sector) / recordByteCount)
            let count = min(room, Int64(header.bigEndian32(at: 8)))
            for index in 0..<count { note(recordAt: place + sector + index * recordByteCount, start) }
            place = (place + sector + count * recordByteCount + sector - 1) / sector * sector
        }
    }

    /// Records where the original content of a page is, if a journal record is the first one of that page and its
    /// checksum is valid. A record that lies partly in a missing encrypted unit of the journal is skipped: the checksum
    /// adds only every 200th byte, so it doesn't find every gap.
    ///
    /// - Parameters:
    ///   - place: the offset of the record in the decrypted journal.
    ///   - start: the initial value of the checksum, from the journal's header.
    private func note(recordAt place: Int64, _ start: UInt32) {
        guard live.map.contains(place, byteCount: pageSize + 8), let record = bytes(pageSize + 8, at: place) else {
            return
        }
        let number = record.bigEndian32(at: 0)
        var sum = start
        for index in stride(from: pageSize - 200, to: 0, by: -200) { sum &+= UInt32(record[4 + index]) }
        guard sum == record.bigEndian32(at: 4 + pageSize), number > 0, number <= pageCount, places[number] == nil
        else { return }
        places[number] = place + 4
    }

    private func bytes(_ count: Int, at place: Int64) -> [UInt8]? {
        guard place + Int64(count) <= live.map.byteCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let isRead = unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return false }
            return (try? unsafe units.read(live, into: start, count, at: place)) != nil
        }
        return isRead ? bytes : nil
    }

    /// Returns a page's original content; nil if the transaction didn't change it, or if that content is lost.
    func page(_ number: UInt32) -> [UInt8]? {
        guard let place = places[number] else { return nil }
        return bytes(pageSize, at: place)
    }
}
