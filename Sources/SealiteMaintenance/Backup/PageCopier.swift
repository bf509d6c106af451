import CSQLite
import Glibc
import SealiteFile

/// Copies every page of one sealed database into another file, while other connections read and write it.
///
/// In WAL mode SQLite's online backup reads one snapshot and blocks nobody. For rollback-journal mode see
/// `CatchUpPass`. https://sqlite.org/c3ref/backup_finish.html
struct PageCopier {
    let source: RawConnection
    /// The file to fill. It still has its temporary name, so after a crash it is discarded whatever its journal
    /// contains.
    let destination: SealedDatabase
    let progress: BackupProgressHandler

    var catchUpCount = 0
    var pageCount = 0
    private var isHolding = false
    /// The number of copied pages that was reported last.
    private var completed = 0

    private static let pagesPerStep: CInt = 1024
    /// The maximum time to wait for a lock, in milliseconds.
    private static let waitLimit: CInt = 30_000

    init(source: RawConnection, destination: SealedDatabase, progress: @escaping BackupProgressHandler) {
        self.source = source
        self.destination = destination
        self.progress = progress
    }

    mutating func run() throws(SealedFileError) {
        unsafe sqlite3_busy_timeout(source.handle, 0)
        defer { release() }
        while true {
            if try isWAL() {
                try hold()
                return try copySnapshot()
            }
            if try copyCatchingUp() { return }
            // Another connection has switched the database to WAL mode.
            release()
        }
    }

    private mutating func copySnapshot() throws(SealedFileError) {
        let copy = try destination.connect()
        try copy.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE")
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw copy.error(unsafe sqlite3_extended_errcode(copy.handle))
        }
        let outcome = Result { () throws(SealedFileError) in unsafe try step(backup) }
        // The copy's connection has the error of a step only from here on.
        let code = unsafe sqlite3_backup_finish(backup)
        let last = try outcome.get()
        guard last == SQLITE_DONE, code == SQLITE_OK else { throw failure(last == SQLITE_DONE ? code : last, copy) }
    }

    /// Returns whether the database is in WAL mode, as an open connection sees it: its page 1 may be newer in the log
    /// than in the file.
    func isWAL() throws(SealedFileError) -> Bool {
        var mode: String?
        let code = try waiting {
            do throws(SealedFileError) {
                mode = try source.text("PRAGMA journal_mode")
                return SQLITE_OK
            } catch {
                return unsafe sqlite3_errcode(source.handle)
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
        return mode == "wal"
    }

    /// Copies all pages, and returns SQLite's last result code: `SQLITE_DONE`, or that of a failure.
    private mutating func step(_ backup: OpaquePointer) throws(SealedFileError) -> CInt {
        while true {
            let code = try waiting { unsafe sqlite3_backup_step(backup, Self.pagesPerStep) }
            guard code == SQLITE_OK || code == SQLITE_DONE else { return code }
            pageCount = Int(unsafe sqlite3_backup_pagecount(backup))
            try tell(pageCount - Int(unsafe sqlite3_backup_remaining(backup)))
            if code == SQLITE_DONE { return code }
        }
    }

    /// Reports the number of copied pages.
    mutating func tell(_ done: Int) throws(SealedFileError) {
        completed = min(done, pageCount)
        try tellAgain()
    }

    /// Reports the last number again, so that the backup can be cancelled while it waits.
    private func tellAgain() throws(SealedFileError) {
        let now = BackupProgress(phase: .copying, completed: completed, total: pageCount)
        guard progress(now) else { throw .backupCancelled }
    }

    /// Begins a read transaction, whose lock prevents commits in rollback-journal mode.
    mutating func hold() throws(SealedFileError) {
        try source.execute("BEGIN")
        isHolding = true
        let code = try waiting {
            unsafe sqlite3_exec(source.handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private mutating func release() {
        if isHolding { try? source.execute("ROLLBACK") }
        isHolding = false
    }

    /// Retries while other connections hold locks, at much shorter intervals than SQLite's own busy handler: a writer
    /// that is always active leaves the lock free only while it writes its journal.
    private func waiting(_ call: () -> CInt) throws(SealedFileError) -> CInt {
        let end = ContinuousClock.now + .milliseconds(Int(Self.waitLimit))
        var lastTold = ContinuousClock.now
        while true {
            let code = call()
            guard code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED else { return code }
            let now = ContinuousClock.now
            guard now < end else { throw .neverFree(source.path, seconds: Self.waitLimit / 1000) }
            if now - lastTold >= .milliseconds(2) {
                lastTold = now
                try tellAgain()
            }
            usleep(.random(in: 20...200))
        }
    }

    /// Returns the error of the source if the source failed, otherwise the error of the copy: the result code of
    /// sqlite3_backup doesn't tell them apart.
    private func failure(_ code: CInt, _ copy: RawConnection? = nil) -> SealedFileError {
        unsafe SealedDatabase.failure(of: source.handle)?.about(source.path) ?? (copy ?? source).error(code)
    }
}

extension SealedFileError {
    fileprivate static func neverFree(_ path: String, seconds: CInt) -> SealedFileError {
        SealedFileError(
            .busy,
            "\"\(path)\" couldn't be read within \(seconds) seconds: other connections held a lock on it",
            hint:
                "pause the programs that write to it, or use 'PRAGMA journal_mode=WAL', in which backups and writers don't wait for "
                + "each other"
        )
    }
}

extension PageCopier {
    /// The maximum number of passes without a lock.
    private static let passLimit = 8
    /// The number of copied pages at or below which a pass is the last without a lock. The remaining pages are then
    /// copied under a read lock.
    private static let fewPages = 64

    /// Copies a database in rollback-journal mode, and returns true. Returns false if the database has been switched to
    /// WAL mode meanwhile; the copy is then incomplete.
    mutating func copyCatchingUp() throws(SealedFileError) -> Bool {
        let pass = try CatchUpPass(into: destination)
        for number in 0..<Self.passLimit {
            try run(pass, pageCount: try filePageCount(), isLocked: false)
            if number > 0, pass.copiedCount > 0 { catchUpCount += 1 }
            if number > 0, pass.copiedCount <= Self.fewPages { break }
        }
        try hold()
        guard try !isWAL() else { return false }
        try run(pass, pageCount: Int(try source.integer("PRAGMA page_count")), isLocked: true)
        try pass.end()
        return true
    }

    private mutating func run(_ pass: CatchUpPass, pageCount: Int, isLocked: Bool) throws(SealedFileError) {
        pass.begin(pageCount: pageCount)
        self.pageCount = pageCount
        for first in stride(from: 0, to: pageCount, by: CatchUpPass.pagesPerStep) {
            let step = FileTask { (file, source) throws(SealedFileError) in
                try pass.copy(from: first, isLocked: isLocked, file: file, source: source)
            }
            try source.perform(step)
            try tell(first + CatchUpPass.pagesPerStep)
        }
    }

    private func filePageCount() throws(SealedFileError) -> Int {
        var count = 0
        let look = FileTask { (file, source) throws(SealedFileError) in
            count = try SealedFileError.mapping { () throws(VFSFailure) in
                Int(try file.size() / Int64(source.pageSize))
            }
        }
        try source.perform(look)
        return count
    }
}

/// Copies a database in rollback-journal mode: first all pages without a lock, while other connections write; then
/// repeatedly the pages that changed since, until only few remain; finally the remaining pages under a read lock. A
/// writer waits only while eight bytes of each page are compared, rather than while the file is copied.
///
/// A page's authentication tag differs with every write, so it shows whether the page changed. The tag kept is always
/// that of the bytes that were copied.
final class CatchUpPass {
    /// The first eight bytes of each copied page's tag; 0 for a page that must be copied.
    private var tags: [UInt64] = []
    /// The number of pages that the last pass copied.
    private(set) var copiedCount = 0
    private var isFirst = true
    private let output: BaseHandle
    private let sealed: PageCodec
    private let page: PlainBuffer
    /// A buffer of sealed pages as they were read.
    private let images: PlainBuffer
    private let imageCount: Int

    /// The number of pages between two progress reports.
    static let pagesPerStep = 256
    /// The size of the read buffer: the most that the unix VFS reads in one call.
    private static let imagesByteCount = 128 << 10

    init(into copy: SealedDatabase) throws(SealedFileError) {
        output = try BaseHandle(copy.path, vfs: copy.vfs.base, flags: SQLITE_OPEN_READWRITE)
        sealed = PageCodec(ring: copy.ring, use: .main)
        page = PlainBuffer(byteCount: copy.pageSize)
        imageCount = Self.imagesByteCount / copy.pageSize
        images = PlainBuffer(byteCount: imageCount * copy.pageSize)
    }

    /// Begins a pass over this many pages.
    func begin(pageCount: Int) {
        isFirst = tags.isEmpty
        copiedCount = 0
        tags += Array(repeating: 0, count: max(0, pageCount - tags.count))
        tags.removeLast(tags.count - pageCount)
    }

    /// Copies the changed pages among `pagesPerStep` pages from `first` on. Without a lock, a page that doesn't
    /// authenticate may be half written or truncated and is left to the next pass. Under a lock such a page is damaged,
    /// which is an error.
    func copy(from first: Int, isLocked: Bool, file: MainFile, source: PageCodec) throws(SealedFileError) {
        try sealed.beginSealing()
        let range = first..<min(first + Self.pagesPerStep, tags.count)
        try SealedFileError.mapping { () throws(VFSFailure) in
            if isFirst, !isLocked { return try copyAll(range, file, source) }
            for index in range where UInt32(index + 1) != source.lockBytePage {
                let tag = try tag(of: index, file, source)
                if tag == tags[index], tag != 0 { continue }
                if isLocked {
                    try copyUnderLock(index, tag, file, source)
                } else {
                    try copyAll(index..<index + 1, file, source)
                }
            }
        }
    }

    /// Copies pages in their current state, and leaves those that don't authenticate to the next pass.
    private func copyAll(_ range: Range<Int>, _ file: MainFile, _ source: PageCodec) throws(VFSFailure) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: imageCount) {
            let count = min(imageCount, range.upperBound - start)
            let code = unsafe file.base.read(
                into: images.start, count * source.pageSize, at: source.offset(of: UInt32(start + 1)))
            guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            for index in start..<start + count where UInt32(index + 1) != source.lockBytePage {
                try unsafe take(index, images.start + (index - start) * source.pageSize, file, source)
            }
        }
    }

    private func take(
        _ index: Int, _ image: UnsafeRawPointer, _ file: MainFile, _ source: PageCodec
    ) throws(VFSFailure) {
        let number = UInt32(index + 1)
        tags[index] = 0
        var opening = try unsafe source.open(image, number: number, into: page.start)
        if case .unknownEpoch(let epoch) = opening, epoch != 0 {
            // A rotation has started meanwhile.
            try file.keys.followHeader()
            opening = try unsafe source.open(image, number: number, into: page.start)
        }
        guard case .opened = opening else { return }
        try write(number)
        tags[index] = unsafe (image + source.textByteCount + PageTrailer.tag).loadUnaligned(as: UInt64.self)
    }

    /// Copies a changed page while a read lock excludes commits. Only a key rotation can be rewriting the page then,
    /// which doesn't change its content.
    private func copyUnderLock(
        _ index: Int, _ tag: UInt64, _ file: MainFile, _ source: PageCodec
    ) throws(VFSFailure) {
        file.ahead.forget()
        do throws(VFSFailure) {
            try unsafe file.reader.readPage(UInt32(index + 1), into: page.start, source)
        } catch {
            guard error.code == SQLITE_IOERR_SHORT_READ else { throw error }
            throw VFSFailure(
                .damagedPage(
                    UInt32(index + 1), pageSize: source.pageSize, cause: "is missing: the file ends before it"))
        }
        try write(UInt32(index + 1))
        tags[index] = tag
    }

    private func tag(of index: Int, _ file: MainFile, _ source: PageCodec) throws(VFSFailure) -> UInt64 {
        var tag: UInt64 = 0
        let place = source.offset(of: UInt32(index + 1)) + Int64(source.textByteCount + PageTrailer.tag)
        let code = unsafe withUnsafeMutableBytes(of: &tag) { buffer in
            guard let start = buffer.baseAddress else { return SQLITE_IOERR }
            return unsafe file.base.read(into: start, buffer.count, at: place)
        }
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        return tag
    }

    private func write(_ number: UInt32) throws(VFSFailure) {
        // Page 1 of the copy gets the serial of a new file, because the copy has no history.
        unsafe try sealed.seal(page.start, number: number, pageOneSerial: number == 1 ? 1 : 0)
        try Self.requireCopied(
            unsafe output.file.write(sealed.scratch, sealed.pageSize, at: sealed.offset(of: number)))
        copiedCount += 1
    }

    /// Throws if a write of the copy failed. The caller would otherwise take it for a failure of the source.
    private static func requireCopied(_ code: CInt) throws(VFSFailure) {
        guard code == SQLITE_OK else {
            throw VFSFailure(code, SealedFileError(sqlite: code, doing: "writing the copy"))
        }
    }

    /// Cuts off the pages of the copy that the database no longer has.
    func end() throws(SealedFileError) {
        let byteCount = Int64(HeaderLayout.regionByteCount) + Int64(tags.count) * Int64(sealed.pageSize)
        try SealedFileError.mapping { () throws(VFSFailure) in
            if try output.file.size().get() > byteCount { try check(output.file.truncate(to: byteCount)) }
        }
    }
}

/// A buffer for the plaintext of pages, wiped when it is freed.
@safe final class PlainBuffer {
    let start: UnsafeMutableRawPointer
    private let byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
        unsafe start = .allocate(byteCount: byteCount, alignment: 64)
        unsafe memset(start, 0, byteCount)
    }

    deinit {
        unsafe memset(start, 0, byteCount)
        unsafe start.deallocate()
    }
}
