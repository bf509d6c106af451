import CSQLite
import SealiteFile

/// Reads a damaged sealed database through the base VFS and the codec, without SQLite.
@safe final class DamagedFile {
    private let handle: BaseHandle
    private let sealed: PageCodec
    private let log: SalvagedLog?
    private let batch: SalvagedBatch?
    private(set) var journal: SalvagedJournal?
    private let filePageCount: UInt32
    private(set) var pageCount: UInt32

    init(path: String, ring: KeyRing, vfs: String, log: SalvagedLog?) throws(SealedFileError) {
        batch = try SalvagedBatch(of: path, vfs: vfs, ring: ring)
        handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READONLY)
        sealed = PageCodec(ring: ring, use: .main)
        self.log = log
        let file = handle.file
        let size = try SealedFileError.mapping { () throws(VFSFailure) in
            var code = file.lock(SQLITE_LOCK_SHARED)
            for _ in 0..<500 where code == SQLITE_BUSY {
                sqlite3_sleep(10)
                code = file.lock(SQLITE_LOCK_SHARED)
            }
            try check(code)
            return try file.size().get()
        }
        let pageSize = Int64(ring.pageSize)
        let byteCount = max(0, size - Int64(HeaderLayout.regionByteCount))
        // The largest 32-bit number is excluded, so that pages can also be counted from 0.
        let limit = UInt32.max - 1
        filePageCount = UInt32(min((byteCount + pageSize - 1) / pageSize, Int64(limit)))
        // The last commit determines where the database ends; without one, the file does. The number in a commit can't
        // be trusted, and pages that are neither in the file nor in the log don't exist.
        pageCount = min(log?.pageCount ?? limit, max(filePageCount, log?.highestPage ?? 0), limit)
    }

    deinit { _ = handle.file.unlock(SQLITE_LOCK_NONE) }

    /// Reads pages from a hot journal from now on, unless another connection is writing to the file or the WAL has a
    /// commit.
    func use(
        journal handle: BaseHandle, ring: KeyRing, fileExists: (String) -> Bool
    ) throws(SealedFileError) {
        var isReserved: CInt = 0
        let code = unsafe self.handle.file.checkReservedLock(&isReserved)
        guard code == SQLITE_OK, isReserved == 0, log?.pageCount == nil else { return }
        guard
            let journal = try SalvagedJournal(
                handle, ring: ring, serialOnDisk: serialOfPageOne, fileExists: fileExists)
        else { return }
        self.journal = journal
        if journal.pageCount > 0 { pageCount = journal.pageCount }
    }

    private var serialOfPageOne: UInt32? {
        let code = unsafe handle.file.read(into: sealed.scratch, sealed.pageSize, at: sealed.offset(of: 1))
        guard code == SQLITE_OK, case .opened(let serial)? = unsafe try? sealed.open(sealed.scratch, number: 1) else {
            return nil
        }
        return serial
    }

    var pages: SalvagePages {
        let mayContradict = (log?.lostFrameCount ?? 0) > 0 || (journal?.lostUnitCount ?? 0) > 0
        return SalvagePages(
            pageSize: sealed.pageSize, pageCount: pageCount, mayContradict: mayContradict,
            reservedByteCount: reservedByteCount
        ) { [self] in read($0) }
    }

    /// The number of bytes at the end of each page that SQLite doesn't use: 48, or what page 1 states if the pages came
    /// from a database that reserved more. If page 1 is lost, what the readable ones among the next hundred leave empty.
    private var reservedByteCount: Int {
        let standard = HeaderLayout.reservedByteCount
        if case .text(let first) = read(1) { return max(standard, Int(first[20])) }
        var empty: Int?
        for number in 2...101 {
            guard number <= pageCount, case .text(let page) = read(UInt32(number)),
                let last = page.lastIndex(where: { $0 != 0 })
            else { continue }
            empty = min(empty ?? .max, page.count - 1 - last)
        }
        // SQLCipher 4 reserves 80.
        return empty.map { $0 >= 80 ? 80 : standard } ?? standard
    }

    private func read(_ number: UInt32) -> SalvagedPage {
        if let bytes = log?.page(number) ?? journal?.page(number) { return .text(bytes) }
        let page = readInPlace(number)
        guard case .lost = page, let batch else { return page }
        // The page was half written by an interrupted rotation; its image in the sidecar is whole.
        guard unsafe batch.readImage(of: number, into: sealed.scratch),
            case .opened? = unsafe try? sealed.open(sealed.scratch, number: number)
        else { return page }
        return .text(unsafe Array(UnsafeRawBufferPointer(start: sealed.scratch, count: sealed.pageSize)))
    }

    private func readInPlace(_ number: UInt32) -> SalvagedPage {
        guard number <= filePageCount else { return .lost }
        let code = unsafe handle.file.read(into: sealed.scratch, sealed.pageSize, at: sealed.offset(of: number))
        // An unreadable sector is a lost page, and the salvage continues.
        guard code == SQLITE_OK else { return .lost }
        let bytes = unsafe UnsafeRawBufferPointer(start: sealed.scratch, count: sealed.pageSize)
        if unsafe bytes.allSatisfy({ $0 == 0 }) { return .neverWritten }
        guard case .opened? = unsafe try? sealed.open(sealed.scratch, number: number) else { return .lost }
        return .text(unsafe Array(bytes))
    }
}

/// The batch of pages that an interrupted key rotation was writing: their new images are in the rotation's sidecar, the
/// file `<db>-rotate`.
struct SalvagedBatch {
    private let sidecar: RotationSidecar
    private let batch: SidecarBatch

    /// Reads the batch; nil if the rotation left no unfinished batch.
    init?(of path: String, vfs: String, ring: KeyRing) throws(SealedFileError) {
        guard ring.isRotating else { return nil }
        let sidecar = try RotationSidecar(of: path, vfs: vfs, ring: ring, create: false, isReadOnly: true)
        guard let sidecar else { return nil }
        let batch = try SealedFileError.mapping { () throws(VFSFailure) in try sidecar.batch() }
        guard let batch, batch.isOpen else { return nil }
        self.sidecar = sidecar
        self.batch = batch
    }

    /// Reads a page's image into `buffer`; returns false if the batch doesn't contain the page.
    func readImage(of number: UInt32, into buffer: UnsafeMutableRawPointer) -> Bool {
        guard let index = batch.pages.firstIndex(of: number) else { return false }
        return (try? unsafe sidecar.readImage(index, of: batch, into: buffer)) ?? false
    }
}

/// The content found for one page of a damaged file.
enum SalvagedPage {
    /// The page is authentic: its plaintext, with zeros in the last 48 bytes.
    case text([UInt8])
    /// The page is all zeros on disk.
    case neverWritten
    /// The page was altered, torn, truncated or unreadable.
    case lost
}
