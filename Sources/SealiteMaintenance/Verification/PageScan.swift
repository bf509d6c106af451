import CSQLite
import SealiteFile

/// Authenticates every page of a database file. `Documentation/FORMAT.md` §6.
///
/// Reads a mebibyte at a time, so memory use doesn't depend on the file's size. Other connections may be writing pages,
/// unless a lock of the caller excludes them; so a page that isn't authentic is read again before it counts as damaged.
@safe final class PageScan {
    private let database: SealedDatabase
    private let handle: BaseHandle
    private let pages: PageCodec
    private let pageSize: Int
    private let wal: WALScan?
    private let buffer: UnsafeMutableRawPointer
    private static let bufferByteCount = 1 << 20

    private(set) var summary = PageSummary()
    private(set) var findings = FindingList()
    /// The pages that consist of zeros, so were never written. A page of zeros is damage unless it is free; that is
    /// checked after the scan.
    private var unwritten = PageRanges()
    /// The number of pages of zeros above which they aren't read again: no other process enlarges a file by so many at
    /// once.
    private static let secondLookLimit = 1 << 16

    init(_ database: SealedDatabase, handle: BaseHandle, wal: WALScan?) {
        self.database = database
        self.handle = handle
        self.wal = wal
        pages = PageCodec(ring: database.ring, use: .main)
        pageSize = database.pageSize
        unsafe buffer = .allocate(byteCount: Self.bufferByteCount, alignment: 64)
    }

    deinit {
        unsafe memset(buffer, 0, Self.bufferByteCount)
        unsafe buffer.deallocate()
    }

    // MARK: Scanning

    func run(progress: (Int, Int) throws(VFSFailure) -> Void) throws(VFSFailure) {
        let byteCount = max(0, try handle.file.size().get() - Int64(HeaderLayout.regionByteCount))
        // Bytes after the last page that SQLite can number are never used.
        let wholeCount = UInt32(min(byteCount / Int64(pageSize), Int64(UInt32.max) - 2))
        let rest = Int(byteCount % Int64(pageSize))
        summary.count = Int(try pageCount(ofFile: wholeCount + (rest > 0 ? 1 : 0)))
        // Bytes after the database's last page aren't used either; they may be terabytes of holes.
        let readCount = min(wholeCount, UInt32(clamping: summary.count))
        try scan(through: readCount, progress)
        try lookAgain()
        let fileCount = wholeCount + (rest > 0 ? 1 : 0)
        if summary.count <= Int(wholeCount) {
            if readCount < fileCount { reportBehind(readCount + 1...fileCount) }
        } else {
            if rest > 0 { reportCutPage(fileCount, byteCount: rest) }
            reportMissing(from: fileCount + 1)
        }
        try reportUnwritten()
    }

    private func scan(through last: UInt32, _ progress: (Int, Int) throws(VFSFailure) -> Void) throws(VFSFailure) {
        let perRead = UInt32(Self.bufferByteCount / pageSize)
        var first: UInt32 = 1
        while first <= last {
            let count = min(perRead, last - first + 1)
            try scan(first, count: count)
            first += count
            try progress(Int(first - 1), max(summary.count, Int(last)))
        }
    }

    /// Returns the number of pages that a reader sees, from the log's last commit, otherwise from page 1, otherwise
    /// from the file's size.
    private func pageCount(ofFile fileCount: UInt32) throws(VFSFailure) -> UInt32 {
        if let count = wal?.pageCount { return count }
        guard fileCount > 0 else { return 1 }
        guard let pageOne = try bytes(ofPage: 1) else { return fileCount }
        let stated = WALHeader.readUInt32(pageOne, at: 28)
        let isValid = pageOne[24..<28] == pageOne[92..<96] && stated != 0
        return isValid ? stated : fileCount
    }

    private func scan(_ first: UInt32, count: UInt32) throws(VFSFailure) {
        let byteCount = Int(count) * pageSize
        let code = unsafe handle.file.read(into: buffer, byteCount, at: pages.offset(of: first))
        // The file was truncated: SQLite fills the buffer with zeros, and each page is read again below.
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        let range = first...first + count - 1
        if code == SQLITE_OK, wal == nil, !range.contains(pages.lockBytePage), unsafe Self.isZero(buffer, byteCount) {
            return unwritten.append(range)
        }
        for number in range where number != pages.lockBytePage {
            let place = unsafe buffer + Int(number - first) * pageSize
            let isHole = unsafe code == SQLITE_OK && Self.isZero(place, pageSize)
            if isHole, wal?.holds(page: number) != true {
                unwritten.append(number...number)
            } else if case .opened = unsafe try pages.open(place, number: number) {
                summary.authenticCount += 1
                if wal?.holds(page: number) == true { summary.inWALCount += 1 }
            } else if wal?.holds(page: number) == true {
                // Possibly half written by a WAL checkpoint; no reader uses it before the next one.
                summary.inWALCount += 1
            } else {
                try judge(number)
            }
        }
    }

    private static func isZero(_ bytes: UnsafeRawPointer, _ byteCount: Int) -> Bool {
        // Compares the page with itself shifted by one word.
        let head = unsafe bytes.loadUnaligned(as: UInt64.self)
        return unsafe head == 0 && memcmp(bytes, bytes + 8, byteCount - 8) == 0
    }

    /// Reads the pages of zeros again after the scan, unless there are very many: another process may have been
    /// enlarging the file, and has written them since.
    private func lookAgain() throws(VFSFailure) {
        guard unwritten.count <= Self.secondLookLimit else { return }
        if !unwritten.all.isEmpty { sqlite3_sleep(2) }
        let seen = unwritten
        unwritten = PageRanges()
        for number in seen.all.joined() { try judge(number) }
    }

    /// Reads a failed page again, since another process may have been writing it, and reports it if it fails again.
    private func judge(_ number: UInt32) throws(VFSFailure) {
        let single = UnsafeMutableRawPointer.allocate(byteCount: pageSize, alignment: 64)
        defer { unsafe single.deallocate() }
        var (cause, several) = ("", "")
        for attempt in 0..<4 {
            if attempt > 0 { sqlite3_sleep(2) }
            let code = unsafe handle.file.read(into: single, pageSize, at: pages.offset(of: number))
            guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            if unsafe Self.isZero(single, pageSize) { return unwritten.append(number...number) }
            switch unsafe try pages.open(single, number: number) {
            case .opened:
                summary.authenticCount += 1
                return
            case .unknownEpoch(let epoch):
                let key = "the page key of epoch \(epoch), which the header doesn't have"
                (cause, several) = ("names \(key)", "name \(key)")
                try pages.followHeader(of: handle)
            case .notAuthentic:
                cause = "failed authentication: the file was altered or the disk returned wrong data"
                several = cause
            }
            if unsafe try isInSidecar(number, buffer: single) {
                summary.authenticCount += 1
                return
            }
        }
        report(number...number, cause, several: several)
    }

    /// Returns whether the sidecar of an active or interrupted key rotation has the page's new image.
    private func isInSidecar(_ number: UInt32, buffer: UnsafeMutableRawPointer) throws(VFSFailure) -> Bool {
        guard pages.ring.isRotating else { return false }
        let sidecar = try sealing { () throws(SealedFileError) in
            try RotationSidecar(of: database.path, vfs: database.vfs.base, ring: pages.ring, create: false)
        }
        guard let sidecar, let batch = try sidecar.batch(), batch.isOpen,
            let index = batch.pages.firstIndex(of: number),
            unsafe try sidecar.readImage(index, of: batch, into: buffer),
            case .opened = unsafe try pages.open(buffer, number: number)
        else { return false }
        return true
    }

    // MARK: Reporting

    private func report(_ numbers: ClosedRange<UInt32>, _ cause: String, several: String) {
        summary.damagedCount += numbers.count
        findings.add(.damage, .damagedPage, .page, places(numbers), cause, several: several)
    }

    /// Reports pages after the database's last page as a note. Does nothing if the log has a commit, since a WAL
    /// checkpoint will then truncate them.
    private func reportBehind(_ numbers: ClosedRange<UInt32>) {
        guard wal?.pageCount == nil else { return }
        findings.add(
            .note, .damagedPage, .page, places(numbers), "is after the database's last page, and is never read",
            several: "are after the database's last page, and are never read")
    }

    private func places(_ numbers: ClosedRange<UInt32>) -> ClosedRange<Int> {
        Int(numbers.lowerBound)...Int(numbers.upperBound)
    }

    private func reportCutPage(_ number: UInt32, byteCount: Int) {
        guard wal?.holds(page: number) != true, number != pages.lockBytePage else { return }
        let cause = "is cut short after \(byteCount) bytes"
        report(number...number, cause, several: cause)
    }

    /// Reports the pages that the database has and the file lacks. The database's page count is read from the log or
    /// page 1 and may be any number, so it isn't used as a loop bound.
    private func reportMissing(from first: UInt32) {
        let last = UInt32(clamping: summary.count)
        guard first <= last else { return }
        let inWAL = wal?.heldPages(in: first...last) ?? []
        summary.inWALCount += inWAL.count
        let lockByte = [pages.lockBytePage].filter { (first...last).contains($0) && !inWAL.contains($0) }
        var next = Int(first)
        for number in (inWAL + lockByte).sorted().map(Int.init) + [Int(last) + 1] {
            if next < number {
                report(
                    UInt32(next)...UInt32(number - 1), "is missing: the file ends before it",
                    several: "are missing: the file ends before them")
            }
            next = number + 1
        }
    }

    /// Reports pages of zeros as damage if they aren't free, otherwise as a note: SQLite leaves free pages of zeros
    /// when it enlarges a file, and never reads them.
    private func reportUnwritten() throws(VFSFailure) {
        guard !unwritten.all.isEmpty else { return }
        let free = try FreePages(pageCount: UInt32(clamping: summary.count), usable: pageSize - PageTrailer.byteCount)
            .leaves(among: unwritten) { (number) throws(VFSFailure) in try self.bytes(ofPage: number) }
        unwritten.split(by: free) { range, isFree in
            guard isFree else {
                return report(
                    range, "was never written (it has only zeros), and isn't known to be free",
                    several: "were never written (they have only zeros), and aren't known to be free")
            }
            summary.neverWrittenCount += range.count
            findings.add(
                .note, .damagedPage, .page, places(range), "was never written (it has only zeros), and is free",
                several: "were never written (they have only zeros), and are free")
        }
    }

    /// Returns a page as a reader sees it, from the log or from the file; nil if it isn't authentic.
    private func bytes(ofPage number: UInt32) throws(VFSFailure) -> [UInt8]? {
        if let wal, wal.holds(page: number) { return try wal.bytes(ofPage: number) }
        let single = UnsafeMutableRawPointer.allocate(byteCount: pageSize, alignment: 64)
        defer { unsafe single.deallocate() }
        let code = unsafe handle.file.read(into: single, pageSize, at: pages.offset(of: number))
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        guard case .opened = unsafe try pages.open(single, number: number) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: single, count: pageSize))
    }
}

extension PageCodec {
    /// Rereads the header because a page or frame names an unknown epoch.
    func followHeader(of handle: BaseHandle) throws(VFSFailure) {
        let region = try HeaderFile.read(handle.file)
        try sealing { () throws(SealedFileError) in try ring.follow(region) }
    }
}

/// Ascending page numbers, stored as ranges: a hole of a hundred gigabytes is one range.
struct PageRanges {
    private(set) var all: [ClosedRange<UInt32>]

    /// Creates a list of ascending ranges that neither overlap nor touch.
    init(_ all: [ClosedRange<UInt32>] = []) { self.all = all }

    var count: Int { all.reduce(0) { $0 + $1.count } }

    /// Appends pages after the existing ones.
    mutating func append(_ range: ClosedRange<UInt32>) {
        if let last = all.last, last.upperBound + 1 == range.lowerBound {
            all[all.count - 1] = last.lowerBound...range.upperBound
        } else {
            all.append(range)
        }
    }

    func contains(_ number: UInt32) -> Bool {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].contains(number)
    }

    /// Splits the ranges into runs of pages that are in the sorted array `marked` and runs of pages that aren't, and
    /// calls `body` for each run, in ascending order.
    func split(by marked: [UInt32], _ body: (ClosedRange<UInt32>, _ isMarked: Bool) -> Void) {
        var next = marked[...]
        for range in all {
            while let first = next.first, first < range.lowerBound { next.removeFirst() }
            var start = range.lowerBound
            while let number = next.first, number <= range.upperBound {
                if start < number { body(start...number - 1, false) }
                body(number...number, true)
                next.removeFirst()
                start = number + 1
            }
            if start <= range.upperBound { body(start...range.upperBound, false) }
        }
    }
}

/// SQLite's list of free pages. https://sqlite.org/fileformat2.html#the_freelist
struct FreePages {
    let pageCount: UInt32
    /// The number of bytes of a page that SQLite uses.
    let usable: Int

    /// Returns the pages in `ranges` that are leaf pages of the freelist, in ascending order. Reading stops at a trunk
    /// page that can't be read, so further free pages are then missing.
    func leaves(
        among ranges: PageRanges, read: (UInt32) throws(VFSFailure) -> [UInt8]?
    ) throws(VFSFailure) -> [UInt32] {
        var found: Set<UInt32> = []
        guard let pageOne = try read(1) else { return [] }
        var trunk = WALHeader.readUInt32(pageOne, at: 32)
        var visited: Set<UInt32> = []
        while trunk != 0, trunk <= pageCount, visited.insert(trunk).inserted, let page = try read(trunk) {
            let count = min(Int(WALHeader.readUInt32(page, at: 4)), usable / 4 - 2)
            for index in 0..<max(0, count) {
                let leaf = WALHeader.readUInt32(page, at: 8 + 4 * index)
                if ranges.contains(leaf) { found.insert(leaf) }
            }
            trunk = WALHeader.readUInt32(page, at: 0)
        }
        return found.sorted()
    }
}
