import CSQLite
import SealiteFile

/// Reads a whole write-ahead log, determines which frames are valid, and examines the frames after the last valid one.
/// `Documentation/FORMAT.md` §7.
///
/// If the log grows or restarts while it is read, it is read again.
@safe final class WALScan {
    private let handle: BaseHandle
    /// The database file, whose header is read again for unknown epochs.
    private let main: BaseHandle
    private let retryDelay: CInt
    private let pages: PageCodec
    private let pageSize: Int
    private let buffer: UnsafeMutableRawPointer
    private var sums: (UInt32, UInt32) = (0, 0)

    private(set) var summary = WALSummary()
    private(set) var findings = FindingList()
    /// The number of pages in the database after the last commit; nil if the log contains no commit.
    private(set) var pageCount: UInt32?
    /// The newest committed frame of each page, sorted by page number.
    private var newest: [Entry] = []
    private var sortedCount = 0

    /// A committed frame: the number of its page and its own index.
    private struct Entry {
        var page: UInt32
        var frame: UInt32
    }

    private var frameByteCount: Int { pageSize + WALHeader.frameHeaderByteCount }

    /// Creates a scan. `retryDelay` is the time in milliseconds to wait for another process to complete a frame that
    /// fails.
    init(handle: BaseHandle, main: BaseHandle, ring: KeyRing, retryDelay: CInt = 2) {
        self.retryDelay = retryDelay
        self.handle = handle
        self.main = main
        pages = PageCodec(ring: ring, use: .wal)
        pageSize = ring.pageSize
        unsafe buffer = .allocate(byteCount: pageSize + WALHeader.frameHeaderByteCount, alignment: 64)
    }

    deinit {
        unsafe memset(buffer, 0, frameByteCount)
        unsafe buffer.deallocate()
    }

    // MARK: What a reader sees

    /// Returns whether readers take a page from the log instead of the database file.
    func holds(page: UInt32) -> Bool { frame(of: page) != nil }

    /// Returns the pages of a range that readers take from the log, in order.
    func heldPages(in range: ClosedRange<UInt32>) -> [UInt32] {
        newest.lazy.map(\.page).filter(range.contains)
    }

    private func frame(of page: UInt32) -> UInt32? {
        var (low, high) = (0, newest.count)
        while low < high {
            let middle = (low + high) / 2
            if newest[middle].page < page { low = middle + 1 } else { high = middle }
        }
        return low < newest.count && newest[low].page == page ? newest[low].frame : nil
    }

    /// Returns the plaintext of a page from the log; nil if readers don't take the page from it.
    func bytes(ofPage page: UInt32) throws(VFSFailure) -> [UInt8]? {
        guard let frame = frame(of: page), try open(frame) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: buffer + WALHeader.frameHeaderByteCount, count: pageSize))
    }

    // MARK: Scanning

    private static let attempts = 5

    /// Reads the log from its first frame to its last.
    func run(progress: (Int, Int) throws(VFSFailure) -> Void) throws(VFSFailure) {
        for attempt in 1...Self.attempts {
            let header = try handle.file.bytes(WALHeader.byteCount, at: 0).get()
            reset()
            try scan(header, progress)
            if attempt == Self.attempts { return }
            if try handle.file.bytes(WALHeader.byteCount, at: 0).get() == header { return }
        }
    }

    private func reset() {
        summary = WALSummary()
        findings = FindingList()
        pageCount = nil
        newest = []
        sortedCount = 0
    }

    private func scan(_ header: [UInt8], _ progress: (Int, Int) throws(VFSFailure) -> Void) throws(VFSFailure) {
        let size = try handle.file.size().get()
        summary.frameCount = max(0, Int((size - Int64(WALHeader.byteCount)) / Int64(frameByteCount)))
        guard !header.isEmpty else { return }
        guard WALHeader.isSealed(header), let plain = try? WALHeader.plain(fromSealed: header, pageSize: pageSize),
            plain.contains(where: { $0 != 0 })
        else { return reportHeader(header) }
        unsafe header.withUnsafeBytes { unsafe pages.bind(walHeader: $0) }
        sums = (WALHeader.readUInt32(plain, at: 24), WALHeader.readUInt32(plain, at: 28))
        let end = try scanFrames(header: header, progress)
        try scanRest(from: end, progress)
    }

    private func reportHeader(_ header: [UInt8]) {
        let isEmpty = header.allSatisfy { $0 == 0 } || summary.frameCount == 0
        guard !isEmpty else { return }
        let isWhole = WALHeader.isSealed(header)
        findings.add(
            isWhole ? .note : .damage, .damagedFrame, .walFrame, nil,
            isWhole
                ? "the WAL has another page size than the database and is ignored"
                : "the WAL's header is damaged or isn't that of an encrypted WAL: the frames after it, up to "
                    + "\(summary.frameCount), are ignored")
        if !isWhole { summary.damagedCount += 1 }
    }

    /// Reads the valid frames. Returns the index of the first frame that isn't authentic or doesn't continue the chain
    /// of checksums.
    private func scanFrames(
        header: [UInt8], _ progress: (Int, Int) throws(VFSFailure) -> Void
    ) throws(VFSFailure) -> UInt32 {
        var pending: [Entry] = []
        var index: UInt32 = 0
        while Int(index) < summary.frameCount, try openAndRetry(index), continuesChain(header) {
            pending.append(Entry(page: frameWord(0), frame: index))
            index += 1
            if frameWord(4) != 0 {
                pageCount = frameWord(4)
                summary.committedFrameCount = Int(index)
                summary.commitCount += 1
                merge(&pending)
            }
            if index % 256 == 0 { try progress(Int(index), summary.frameCount) }
        }
        summary.uncommittedFrameCount = Int(index) - summary.committedFrameCount
        sortNewest()
        return index
    }

    /// Examines the frames from index `end` on, that of the first frame that doesn't continue the chain of checksums.
    /// If an authentic frame of the same log follows frames that aren't authentic, these are reported as damaged:
    /// SQLite would end the log at the first of them.
    private func scanRest(from end: UInt32, _ progress: (Int, Int) throws(VFSFailure) -> Void) throws(VFSFailure) {
        var bad: [UInt32] = []
        for index in end..<UInt32(clamping: max(summary.frameCount, Int(end))) {
            if try open(index) {
                try report(bad, before: index)
                bad = []
                summary.uncommittedFrameCount += 1
            } else if bad.count < 2 {
                bad.append(index)
            } else {
                bad[1] = index
            }
            if index % 256 == 0 { try progress(Int(index), summary.frameCount) }
        }
    }

    /// Reports a run of frames that aren't authentic, before the authentic frame `good`. `bad` contains the index of
    /// the run's first frame and, if there are several, that of its last.
    private func report(_ bad: [UInt32], before good: UInt32) throws(VFSFailure) {
        guard let first = bad.first, let last = bad.last else { return }
        // Another process may have been writing this frame.
        if first == last, try openAndRetry(first) { return }
        summary.damagedCount += Int(last - first) + 1
        findings.add(
            .damage, .damagedFrame, .walFrame, Int(first)...Int(last),
            "failed authentication, and later frames of the WAL are authentic: committed transactions may be lost"
        )
    }

    // MARK: One frame

    private func openAndRetry(_ index: UInt32) throws(VFSFailure) -> Bool {
        for _ in 0..<3 {
            if try open(index) { return true }
            if retryDelay > 0 { sqlite3_sleep(retryDelay) }
        }
        return try open(index)
    }

    /// Opens a frame into `buffer`; returns false if it isn't authentic.
    private func open(_ index: UInt32) throws(VFSFailure) -> Bool {
        let offset = Int64(WALHeader.byteCount) + Int64(index) * Int64(frameByteCount)
        for _ in 0..<2 {
            let code = unsafe handle.file.read(into: buffer, frameByteCount, at: offset)
            guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            let opening = unsafe try pages.open(buffer, number: index)
            if case .opened = opening { return true }
            guard case .unknownEpoch(let epoch) = opening, epoch != 0 else { return false }
            // A rotation may have begun meanwhile.
            try pages.followHeader(of: main)
        }
        return false
    }

    /// Returns whether the frame in `buffer` follows the preceding ones by SQLite's rules: salts and running checksum.
    private func continuesChain(_ header: [UInt8]) -> Bool {
        let salts = unsafe UnsafeRawBufferPointer(start: buffer + 8, count: 8)
        guard unsafe salts.elementsEqual(header[16..<24]), frameWord(0) != 0 else { return false }
        let isBigEndian = header[3] & 1 == 1
        var sums = unsafe WALChecksum.sums(
            UnsafeRawBufferPointer(start: buffer, count: 8), from: sums, bigEndian: isBigEndian)
        sums = unsafe WALChecksum.sums(
            UnsafeRawBufferPointer(start: buffer + WALHeader.frameHeaderByteCount, count: pageSize), from: sums,
            bigEndian: isBigEndian)
        guard sums == (frameWord(16), frameWord(20)) else { return false }
        self.sums = sums
        return true
    }

    private func frameWord(_ offset: Int) -> UInt32 {
        unsafe UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    // MARK: The index

    private func merge(_ pending: inout [Entry]) {
        newest += pending
        pending = []
        // Rewritten pages must not make the index exceed twice the number of pages.
        if newest.count > 2 * sortedCount + 65536 { sortNewest() }
    }

    private func sortNewest() {
        newest.sort { ($0.page, $1.frame) < ($1.page, $0.frame) }
        var kept = 0
        for index in newest.indices where kept == 0 || newest[kept - 1].page != newest[index].page {
            newest[kept] = newest[index]
            kept += 1
        }
        newest.removeLast(newest.count - kept)
        // A transaction that shrank the database truncated the pages after its end.
        if let pageCount { newest.removeAll { $0.page > pageCount } }
        sortedCount = newest.count
    }
}
