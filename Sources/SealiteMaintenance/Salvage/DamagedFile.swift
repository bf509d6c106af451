import CSQLite
import SealiteCrypto
import SealiteFile

/// A damaged sealed database as salvage reads it: through the base VFS and the codec, without SQLite.
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
        // One less than what a number of 32 bits can count, so that the pages can be counted from 0.
        let limit = UInt32.max - 1
        filePageCount = UInt32(min((byteCount + pageSize - 1) / pageSize, Int64(limit)))
        // Pages behind the last commit's end aren't the database's any more; where no commit says it, the file does. What a
        // commit says may be anything, and pages that are neither in the file nor in the log aren't there.
        pageCount = min(log?.pageCount ?? limit, max(filePageCount, log?.highestPage ?? 0), limit)
    }

    deinit { _ = handle.file.unlock(SQLITE_LOCK_NONE) }

    /// Takes pages from the journal of a transaction that a crash ended, unless somebody is at work in the file.
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
        return SalvagePages(pageSize: sealed.pageSize, pageCount: pageCount, mayContradict: mayContradict) {
            [self] in read($0)
        }
    }

    private func read(_ number: UInt32) -> SalvagedPage {
        if let bytes = log?.page(number) ?? journal?.page(number) { return .text(bytes) }
        let page = readInPlace(number)
        guard case .lost = page, let batch else { return page }
        // Half written by a rotation that a crash ended: whole in its sidecar.
        guard unsafe batch.readImage(of: number, into: sealed.scratch),
            case .opened? = unsafe try? sealed.open(sealed.scratch, number: number)
        else { return page }
        return .text(unsafe Array(UnsafeRawBufferPointer(start: sealed.scratch, count: sealed.pageSize)))
    }

    private func readInPlace(_ number: UInt32) -> SalvagedPage {
        guard number <= filePageCount else { return .lost }
        let code = unsafe handle.file.read(into: sealed.scratch, sealed.pageSize, at: sealed.offset(of: number))
        // A sector that can't be read is a lost page, not the end of the salvage.
        guard code == SQLITE_OK else { return .lost }
        let bytes = unsafe UnsafeRawBufferPointer(start: sealed.scratch, count: sealed.pageSize)
        if unsafe bytes.allSatisfy({ $0 == 0 }) { return .neverWritten }
        guard case .opened? = unsafe try? sealed.open(sealed.scratch, number: number) else { return .lost }
        return .text(unsafe Array(bytes))
    }
}

/// The batch that a rotation had under way when it was cut off.
struct SalvagedBatch {
    private let sidecar: RotationSidecar
    private let batch: SidecarBatch

    /// Makes nil where no batch was left open.
    init?(of path: String, vfs: String, ring: KeyRing) throws(SealedFileError) {
        guard ring.isRotating else { return nil }
        let sidecar = try RotationSidecar(of: path, vfs: vfs, ring: ring, create: false, isReadOnly: true)
        guard let sidecar else { return nil }
        let batch = try SealedFileError.mapping { () throws(VFSFailure) in try sidecar.batch() }
        guard let batch, batch.isOpen else { return nil }
        self.sidecar = sidecar
        self.batch = batch
    }

    /// Returns whether the batch holds this page.
    func readImage(of number: UInt32, into buffer: UnsafeMutableRawPointer) -> Bool {
        guard let index = batch.pages.firstIndex(of: number) else { return false }
        return (try? unsafe sidecar.readImage(index, of: batch, into: buffer)) ?? false
    }
}

/// The write-ahead log of a damaged database: the newest authentic frame of each page, up to the last commit that can be
/// read. Frames that are lost in between don't end it: what lies before a commit of the same log was committed.
@safe final class SalvagedLog {
    private let handle: BaseHandle
    private let pages: PageCodec
    private let frameByteCount: Int
    private let buffer: UnsafeMutableRawPointer
    /// For each page, which frame holds its newest form.
    private(set) var newest: [UInt32: UInt32] = [:]
    /// The number of pages that the database has after the last commit; nil where no commit can be read.
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
            // Behind the last commit lies what an earlier turn of the log left: not lost, but old.
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

    /// A page that counts from the log; nil where the file's does.
    func page(_ number: UInt32) -> [UInt8]? {
        guard let frame = newest[number], open(frame) else { return nil }
        return unsafe Array(
            UnsafeRawBufferPointer(start: buffer + WALHeader.frameHeaderByteCount, count: pages.pageSize))
    }
}
