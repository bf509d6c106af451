import CSQLite
import Glibc
import SealiteBase
import SealiteCrypto
import SealiteFile

/// A database that another program encrypted, decrypted page by page while it is read. The file isn't changed, and is
/// locked against writers that use SQLite's rollback journal. Not thread-safe.
final class ForeignFile: PageSource {
    let path: String
    private let handle: BaseHandle
    private let logHandle: BaseHandle?
    private let pages: ForeignPages
    private let log: ForeignLog?
    let pageSize: Int
    let pageCount: UInt32
    /// The sizes and times of the file and its log when they were opened.
    private let stamp: [FileStamp?]
    /// A Boolean value that says whether the database is in WAL mode.
    private(set) var isWAL = false
    /// The number of bytes at the end of each page that SQLite doesn't use, as page 1 states it.
    private(set) var reservedByteCount = 0
    private var autoVacuum = AutoVacuum.none
    /// The number of pages that the database has, as SQLite reads it from page 1; the file may have others after them.
    private(set) var contentPageCount: UInt32 = 0
    /// The pages that were read and are authentic, one bit each.
    private var readPages: [UInt64]
    /// The pages that were read and have only zeros, one bit each.
    private var unwrittenPages: [UInt64]
    /// A Boolean value that says whether the copy is complete, and reads only compare it with the source: pages that were
    /// authentic before aren't authenticated again, since another content than the copied one is a difference.
    var isCompared = false
    /// The layout for a copy row by row; nil if VACUUM INTO can copy the database.
    var layout: (pageSize: Int, autoVacuum: AutoVacuum)? {
        reservedByteCount > HeaderLayout.reservedByteCount ? (pageSize, autoVacuum) : nil
    }

    var settings: ForeignEncryption { pages.settings }

    /// A Boolean value that says whether the pages fit into a sealed file as they are: they are authentic, and have room
    /// for what sealing adds.
    var hasSealablePages: Bool {
        settings.isAuthenticated && SealedPageSize.isValid(pageSize)
            && min(reservedByteCount, settings.reservedByteCount) >= HeaderLayout.reservedByteCount
    }

    /// Opens a file and checks that the key and the settings are right.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notAFile`, `busy` (also for a hot journal), `wrongKey` (the
    ///   key or the settings are wrong; the reason says which if other known settings fit), `plainDatabase`, `refused`
    ///   (the file is sealed already), `notSealed` (the file is no database), `damagedPage` (page 1), `invalidArgument`,
    ///   `inputOutput`.
    init(_ path: String, _ settings: ForeignEncryption, _ key: borrowing ForeignKey) throws(SealedFileError) {
        let vfs = VFSChoice.standard.base
        if let reason = FilePermissions.reasonNotToOpen(path) { throw reason }
        try SealedDatabase.requireNotSealed(path)
        self.path = path
        stamp = Self.stamp(path)
        handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READONLY)
        try Self.lock(handle.file, path)
        let file = handle.file
        let (start, size) = try SealedFileError.mapping { () throws(VFSFailure) in
            (try file.bytes(Self.startByteCount, at: 0).get(), try file.size().get())
        }
        guard start.count == Self.startByteCount else {
            throw SealedFileError(
                .notSealed, "\"\(path)\" is no encrypted database: it has \(size) bytes, fewer than the smallest page")
        }
        try Self.requireNoJournal(path)
        pages = try Self.pages(path, file, settings, key, start, size)
        pageSize = pages.settings.pageSize
        logHandle =
            FilePermissions.size(of: path + "-wal") > 0
            ? try BaseHandle(path + "-wal", vfs: vfs, flags: SQLITE_OPEN_READONLY, kind: SQLITE_OPEN_WAL) : nil
        let pageSize = pageSize
        log = if let logHandle { try ForeignLog(logHandle.file, pageSize: pageSize) } else { nil }
        let stored = UInt32(clamping: size / Int64(pageSize))
        pageCount = log?.pageCount(inFile: stored) ?? stored
        readPages = [UInt64](repeating: 0, count: Int(pageCount) / 64 + 1)
        unwrittenPages = readPages
        var first = [UInt8](repeating: 0, count: pageSize)
        try unsafe first.withUnsafeMutableBytes { page in
            Result { () throws(SealedFileError) in try unsafe read(1, into: page) }
        }.get()
        (isWAL, reservedByteCount) = (first[18] == 2, Int(first[20]))
        let stated = first.bigEndian32(at: 24) == first.bigEndian32(at: 92) ? first.bigEndian32(at: 28) : 0
        contentPageCount = stated > 0 ? stated : pageCount
        if first.bigEndian32(at: 52) != 0 { autoVacuum = first.bigEndian32(at: 64) != 0 ? .incremental : .full }
    }

    deinit { _ = handle.file.unlock(SQLITE_LOCK_NONE) }

    private static let startByteCount = 512

    func read(_ number: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws(SealedFileError) {
        guard number <= pageCount else { throw damage([number], count: 1) }
        let wasAuthentic = isCompared && wasRead(number)
        try note(number, unsafe find(number, buffer, wasAuthentic))
    }

    /// Reads consecutive pages, except that with SQLite's lock bytes, into a buffer of their size.
    func read(_ numbers: ClosedRange<UInt32>, into buffer: UnsafeMutableRawBufferPointer) throws(SealedFileError) {
        assert(numbers.lowerBound > 0 && buffer.count == numbers.count * pageSize)
        let offset = Int64(numbers.lowerBound - 1) * Int64(pageSize)
        let code = unsafe buffer.baseAddress.map { unsafe handle.file.read(into: $0, buffer.count, at: offset) }
        for number in numbers where number != lockBytePage {
            let place = Int(number - numbers.lowerBound) * pageSize
            let page = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[place..<place + pageSize])
            guard code == SQLITE_OK, number <= pageCount, log?.places[number] == nil else {
                try unsafe read(number, into: page)
                continue
            }
            try note(number, unsafe opened(page, number))
        }
    }

    /// Notes what was found in place of a page; throws `damagedPage` if it is damaged.
    private func note(_ number: UInt32, _ finding: ForeignPages.Finding) throws(SealedFileError) {
        let (word, bit) = (Int(number - 1) / 64, UInt64(1) << UInt64((number - 1) % 64))
        switch finding {
        case .opened: break
        case .neverWritten: unwrittenPages[word] |= bit
        case .damaged: throw damage([number], count: 1)
        }
        readPages[word] |= bit
    }

    private func wasRead(_ number: UInt32) -> Bool {
        readPages[Int(number - 1) / 64] & 1 << UInt64((number - 1) % 64) != 0
    }

    /// Reads the pages that weren't read yet, such as those of indexes that are made anew.
    ///
    /// - Parameter progress: called regularly with the number of pages that are done; returning false cancels the work.
    /// - Throws: `damagedPage`, with the numbers of all pages that are damaged; `cancelled`.
    func readRest(_ progress: (UInt32) -> Bool) throws(SealedFileError) {
        var (damaged, count) = ([UInt32](), 0)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { unsafe buffer.deallocate() }
        for number in 1...max(pageCount, 1) {
            if number % 1_024 == 0, !progress(number) { throw .copyCancelled }
            guard !wasRead(number), number != lockBytePage else { continue }
            let finding = try unsafe find(number, buffer)
            guard case .damaged = finding else {
                try note(number, finding)
                continue
            }
            count += 1
            if damaged.count < Self.namedPageCount { damaged.append(number) }
        }
        if count > 0 { throw damage(damaged, count: count) }
    }

    /// Checks the pages that have only zeros. The other programs encrypt each page that they write, so that such a page is
    /// lost unless it is free. Must be called after all pages were read.
    ///
    /// - Throws: `damagedPage`, with the numbers of the pages that are lost.
    func requireNoneLost() throws(SealedFileError) {
        var unwritten = PageRanges()
        for (index, word) in unwrittenPages.enumerated() where word != 0 {
            for bit in UInt64(0)..<64 where word & 1 << bit != 0 {
                let number = UInt32(index) * 64 + UInt32(bit) + 1
                if number <= contentPageCount { unwritten.append(number...number) }
            }
        }
        guard !unwritten.all.isEmpty else { return }
        let free = try SealedFileError.mapping { () throws(VFSFailure) in
            try FreePages(pageCount: contentPageCount, usable: pageSize - reservedByteCount)
                .leaves(among: unwritten) { (number) throws(VFSFailure) in text(of: number) }
        }
        var (lost, count) = ([UInt32](), 0)
        unwritten.split(by: free) { range, isFree in
            guard !isFree else { return }
            count += range.count
            lost += range.prefix(max(0, Self.namedPageCount - lost.count))
        }
        if count > 0 { throw damage(lost, count: count, hasZeros: true) }
    }

    /// Returns a page; nil if there is none, or if it is damaged or was never written.
    private func text(of number: UInt32) -> [UInt8]? {
        guard number > 0, number <= pageCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: pageSize)
        let finding = unsafe bytes.withUnsafeMutableBytes { page in unsafe try? find(number, page) }
        guard case .opened? = finding else { return nil }
        return bytes
    }

    /// The greatest number of damaged pages that an error names.
    private static let namedPageCount = 20

    /// The page that contains SQLite's lock bytes, which is never written.
    /// <https://sqlite.org/fileformat2.html#the_lock_byte_page>
    var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

    private func damage(_ numbers: [UInt32], count: Int, hasZeros: Bool = false) -> SealedFileError {
        let more = count > numbers.count ? " and \(count - numbers.count) more" : ""
        let list = numbers.map { String($0) }.joined(separator: ", ")
        let (one, several) =
            hasZeros
            ? ("has only zeros, and isn't free", "have only zeros, and aren't free")
            : ("isn't authentic", "aren't authentic")
        return SealedFileError(
            .damagedPage,
            count == 1
                ? "\"\(path)\": page \(list) \(one): it was changed, or is damaged"
                : "\"\(path)\": the pages \(list)\(more) \(several): they were changed, or are damaged",
            hint: MaintenanceRemedy.skipForeignDamage.hint, page: numbers.first)
    }

    /// Reads a page into a buffer, from the log if it has the page.
    func find(
        _ number: UInt32, _ buffer: UnsafeMutableRawBufferPointer, _ wasAuthentic: Bool = false
    ) throws(SealedFileError) -> ForeignPages.Finding {
        let offset = Int64(number - 1) * Int64(pageSize)
        let code =
            unsafe log?.read(number, into: buffer)
            ?? buffer.baseAddress.map { unsafe handle.file.read(into: $0, pageSize, at: offset) } ?? SQLITE_MISUSE
        // A page that is cut off or can't be read is damaged, and the others may be intact.
        guard code == SQLITE_OK else { return .damaged }
        return try unsafe opened(buffer, number, wasAuthentic)
    }

    private func opened(
        _ buffer: UnsafeMutableRawBufferPointer, _ number: UInt32, _ wasAuthentic: Bool = false
    ) throws(SealedFileError) -> ForeignPages.Finding {
        let pages = pages
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try unsafe pages.open(buffer, number: number, wasAuthentic: wasAuthentic)
        }
    }

    /// Throws `busy` if the file or its log was written to since it was opened.
    func requireUnchanged() throws(SealedFileError) {
        guard Self.stamp(path) == stamp else {
            throw SealedFileError(
                .busy, "\"\(path)\" was written to while it was copied",
                hint: "end the programs that use it, then try again")
        }
    }

    // MARK: - Opening

    private static func stamp(_ path: String) -> [FileStamp?] { [FileStamp(path), FileStamp(path + "-wal")] }

    private static func lock(_ file: BaseFile, _ path: String) throws(SealedFileError) {
        var code = file.lock(SQLITE_LOCK_SHARED)
        for _ in 0..<500 where code == SQLITE_BUSY {
            sqlite3_sleep(10)
            code = file.lock(SQLITE_LOCK_SHARED)
        }
        guard code == SQLITE_OK else { throw SealedFileError(sqlite: code, doing: "locking \"\(path)\"") }
    }

    /// Throws `busy` if a crash left a rollback journal with a header, which only the other program can roll back.
    private static func requireNoJournal(_ path: String) throws(SealedFileError) {
        let name = path + "-journal"
        guard FilePermissions.size(of: name) > 0 else { return }
        let handle = try BaseHandle(
            name, vfs: VFSChoice.standard.base, flags: SQLITE_OPEN_READONLY, kind: SQLITE_OPEN_MAIN_JOURNAL)
        let start = try SealedFileError.mapping { () throws(VFSFailure) in try handle.file.bytes(8, at: 0).get() }
        guard start.contains(where: { $0 != 0 }) else { return }
        throw SealedFileError(
            .busy, "\"\(path)\" has a rollback journal: a crash left an unfinished transaction, or one is in progress",
            hint: "open it once with the program that encrypted it, so that the transaction ends, then try again")
    }

    /// Returns the decryptor for the settings if page 1 opens with them; otherwise throws an error that says whether
    /// the key, the settings or the file is another one.
    private static func pages(
        _ path: String, _ file: BaseFile, _ settings: ForeignEncryption, _ key: borrowing ForeignKey, _ start: [UInt8],
        _ size: Int64
    ) throws(SealedFileError) -> ForeignPages {
        if Array(start[..<16]) == ForeignPages.magic, settings.plainHeaderByteCount == 0 {
            throw start[100] == 5 || start[100] == 13
                ? SealedFileError(
                    .plainDatabase, "\"\(path)\" isn't encrypted", hint: MaintenanceRemedy.copyPlain.hint)
                : SealedFileError(
                    .wrongKey, "the header of \"\(path)\" isn't encrypted, and the rest is",
                    hint: "give cipher_plaintext_header_size, and the salt by cipher_salt or in the raw key")
        }
        let wanted = settings.sized(by: start)
        if let pages = try opened(file, wanted, key, start, size) { return pages }
        for other in ForeignEncryption.known where other != settings {
            guard let pages = try? opened(file, other.sized(by: start), key, start, size) else { continue }
            throw SealedFileError(
                .wrongKey,
                "\"\(path)\" isn't encrypted as \(settings.words): the key opens it as \(pages.settings.words)",
                hint: "name these settings")
        }
        throw SealedFileError(
            .wrongKey,
            "the key of \"\(path)\" is wrong, or its settings are; those of \(settings.words) and the defaults of all "
                + "versions were tried",
            hint: MaintenanceRemedy.nameForeignSettings.hint)
    }

    private static func opened(
        _ file: BaseFile, _ settings: ForeignEncryption, _ key: borrowing ForeignKey, _ start: [UInt8], _ size: Int64
    ) throws(SealedFileError) -> ForeignPages? {
        guard size >= Int64(settings.pageSize) else { return nil }
        let pages = try ForeignPages(settings, key, start: start)
        var page = try SealedFileError.mapping { () throws(VFSFailure) in
            try file.bytes(settings.pageSize, at: 0).get()
        }
        guard page.count == settings.pageSize else { return nil }
        let opening = unsafe page.withUnsafeMutableBytes { page in
            Result { () throws(CryptoError) in try unsafe pages.open(page, number: 1) }
        }
        let finding = try SealedFileError.mappingCrypto { () throws(CryptoError) in try opening.get() }
        guard case .opened = finding, ForeignPages.pageSize(page) == settings.pageSize else { return nil }
        return pages
    }
}

extension ForeignEncryption {
    /// Returns these settings with the page size that the plain bytes of page 1 state, if there are such bytes.
    fileprivate func sized(by start: [UInt8]) -> ForeignEncryption {
        guard plainHeaderByteCount > 0 || !isLegacy && ForeignPages.hasPlainSize(start, self),
            let size = ForeignPages.pageSize(start)
        else { return self }
        return with(pageSize: size)
    }
}

/// The identity, size and last change of a file.
private struct FileStamp: Equatable {
    private let numbers: [Int64]

    /// Reads the stamp of a file; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        numbers = [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
    }
}
