import CSQLite

/// The part of page 1 that a handle keeps: SQLite asks for parts of it before any lock and at each transaction.
@safe final class PageOneCopy {
    static let headByteCount = 100
    static let versionOffset: Int64 = 24
    static let versionByteCount = 16

    /// The first 100 bytes of the last page 1 that was opened or sealed here.
    private let head: UnsafeMutableRawPointer
    /// Its 48 bytes of nonce, tag, epoch and serial: equal bytes mean the same page 1.
    private let trailer: UnsafeMutableRawPointer
    private var isKept = false

    init() {
        unsafe head = .allocate(byteCount: Self.headByteCount, alignment: 8)
        unsafe trailer = .allocate(byteCount: PageTrailer.byteCount, alignment: 8)
        unsafe memset(head, 0, Self.headByteCount)
        unsafe memset(trailer, 0, PageTrailer.byteCount)
    }

    deinit {
        unsafe memset(head, 0, Self.headByteCount)
        unsafe head.deallocate()
        unsafe trailer.deallocate()
    }

    /// Keeps the trailer of an image that is about to be opened where it lies.
    func keepTrailer(_ bytes: UnsafeRawPointer) {
        isKept = false
        unsafe memcpy(trailer, bytes, PageTrailer.byteCount)
    }

    /// Keeps the text that belongs to the trailer kept last.
    func keepText(_ page: UnsafeRawPointer) {
        unsafe memcpy(head, page, Self.headByteCount)
        isKept = true
    }

    func isSame(asTrailer bytes: UnsafeRawPointer) -> Bool {
        unsafe isKept && memcmp(trailer, bytes, PageTrailer.byteCount) == 0
    }

    /// The bytes by which SQLite sees whether page 1 changed: 16 at offset 24.
    func copyVersion(to buffer: UnsafeMutableRawPointer) {
        unsafe memcpy(buffer, head + Int(Self.versionOffset), Self.versionByteCount)
    }
}

extension MainFile {
    // MARK: Whole pages

    /// Reads page `number` into `buffer` and opens it there. A page that the running transaction skipped reads as zeros.
    package func readPage(_ number: UInt32, into buffer: UnsafeMutableRawPointer, _ sealed: SealedPages)
        throws(VFSFailure)
    {
        // Page 1 is never one: SQLite holds on to it as long as it writes.
        if !holes.isEmpty, number > 1, holes.contains(number) {
            unsafe memset(buffer, 0, sealed.pageSize)
            return
        }
        if unsafe try readAhead(number, into: buffer, sealed) { return }
        let place = sealed.offset(of: number)
        try unsafe readWhole(number, into: buffer, sealed)
        if number == 1 { unsafe pageOne.keepTrailer(buffer + sealed.textByteCount) }
        var opening = try unsafe sealed.open(buffer, number: number)
        if case .opened = opening {
        } else {
            // Again: the header may have changed, or the page while it was read.
            try followHeader()
            if isRotating {
                opening = try unsafe readDuringRotation(number, into: buffer, sealed)
            } else {
                try unsafe check(base.read(into: buffer, sealed.pageSize, at: place))
                if number == 1 { unsafe pageOne.keepTrailer(buffer + sealed.textByteCount) }
                opening = try unsafe sealed.open(buffer, number: number)
            }
        }
        guard case .opened(let spare) = opening else {
            throw VFSFailure(try damage(of: number, opening, sealed))
        }
        if number == 1 {
            note(serial: spare)
            unsafe pageOne.keepText(buffer)
            unsafe pageOneCapture?.take(buffer, serial: spare)
        }
    }

    /// Opens the page from what was fetched for a scan. False where it isn't there, or doesn't open: it is then read alone,
    /// and that read tells what is wrong.
    @inline(__always)
    private func readAhead(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ sealed: SealedPages
    ) throws(VFSFailure) -> Bool {
        guard number > 1, let image = unsafe sealed.ahead.page(number, of: sealed, from: base) else { return false }
        if case .opened = unsafe try sealed.open(image, number: number, into: buffer) { return true }
        sealed.ahead.forget()
        return false
    }

    private func readWhole(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ sealed: SealedPages
    ) throws(VFSFailure) {
        let place = sealed.offset(of: number)
        let code = unsafe base.read(into: buffer, sealed.pageSize, at: place)
        guard code != SQLITE_OK else { return }
        guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        let size = try base.size().get()
        guard size > place else {
            unsafe memset(buffer, 0, sealed.pageSize)
            throw .shortRead
        }
        throw VFSFailure(
            .damagedPage(number, pageSize: sealed.pageSize, cause: "is cut short after \(size - place) bytes"))
    }

    private func damage(
        of number: UInt32, _ opening: PageCodec.Opening, _ sealed: SealedPages
    ) throws(VFSFailure) -> SealedFileError {
        if case .unknownEpoch(let epoch) = opening, epoch != 0 {
            return .damagedPage(
                number, pageSize: sealed.pageSize, cause: "names epoch \(epoch), which the header doesn't")
        }
        let isHole = try base.bytes(sealed.pageSize, at: sealed.offset(of: number)).get().allSatisfy { $0 == 0 }
        return .damagedPage(
            number, pageSize: sealed.pageSize,
            cause: isHole
                ? "was never written" : "failed authentication: the file was altered or the disk returned wrong data")
    }

    /// A read inside a page, which newer SQLite does for overflow pages.
    func readPart(
        into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64, _ sealed: SealedPages
    ) throws(VFSFailure) {
        let within = Int(offset % Int64(sealed.pageSize))
        guard offset >= 0, within + byteCount <= sealed.pageSize else { throw VFSFailure(SQLITE_IOERR_READ) }
        let number = UInt32(truncatingIfNeeded: offset / Int64(sealed.pageSize) + 1)
        try unsafe readPage(number, into: sealed.scratch, sealed)
        unsafe memcpy(buffer, sealed.scratch + within, byteCount)
        unsafe memset(sealed.scratch, 0, sealed.pageSize)
    }

    // MARK: Parts of page 1

    /// The 100 bytes that SQLite reads when it opens, before any lock. A torn page 1 is answered with the header's own
    /// facts: were this read to fail, the journal or WAL that mends page 1 would never be reached. The real page 1
    /// is read later, under a lock, and that read does fail.
    func readHead(into buffer: UnsafeMutableRawPointer, _ sealed: SealedPages) throws(VFSFailure) {
        do throws(VFSFailure) {
            try unsafe readPage(1, into: sealed.scratch, sealed)
            unsafe memcpy(buffer, sealed.scratch, PageOneCopy.headByteCount)
        } catch {
            guard error.code == SQLITE_IOERR_DATA else { throw error }
            let head = PageOneImage.head(pageSize: sealed.pageSize)
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: PageOneCopy.headByteCount).copyBytes(from: head)
        }
    }

    /// The 16 bytes by which SQLite sees, once per read transaction, whether its cache is still right.
    func readVersion(into buffer: UnsafeMutableRawPointer, _ sealed: SealedPages) throws(VFSFailure) {
        sealed.ahead.forget()
        if try !isPageOneAsKept(sealed) {
            do throws(VFSFailure) {
                try unsafe readPage(1, into: sealed.scratch, sealed)
            } catch {
                guard error.code == SQLITE_IOERR_DATA else { throw error }
                // No cache agrees with this: SQLite drops its own, and the next read of page 1 speaks of the damage.
                unsafe memset(buffer, 0xFF, PageOneCopy.versionByteCount)
                return
            }
        }
        unsafe pageOne.copyVersion(to: buffer)
    }

    /// Returns whether page 1 on disk is the one this handle knows: a fresh nonce per write makes equality mean the same page.
    private func isPageOneAsKept(_ sealed: SealedPages) throws(VFSFailure) -> Bool {
        let place = sealed.offset(of: 1) + Int64(sealed.pageSize - PageTrailer.byteCount)
        let code = unsafe base.read(into: sealed.scratch, PageTrailer.byteCount, at: place)
        guard code == SQLITE_OK else {
            guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            return false
        }
        return unsafe pageOne.isSame(asTrailer: sealed.scratch)
    }

    /// Keeps what was just written as page 1.
    func rememberPageOne(
        _ text: UnsafeRawPointer, sealedImage: UnsafeRawPointer, _ pageSize: Int, serial: UInt32
    ) {
        note(serial: serial)
        unsafe pageOne.keepTrailer(sealedImage + (pageSize - PageTrailer.byteCount))
        unsafe pageOne.keepText(text)
    }

    /// The serial for a write of page 1: a WAL checkpoint keeps that of the frame it copies, all else is a
    /// transaction's.
    func serialForPageOne(_ text: UnsafeRawPointer, _ pageSize: Int) throws(VFSFailure) -> UInt32 {
        if let kept = unsafe wal?.serialOfCopiedPageOne(text, pageSize) { return kept }
        return serialOfTransaction
    }

    /// The serial of page 1 as it lies on disk; nil where it doesn't authenticate.
    func serialOnDisk() throws(VFSFailure) -> UInt32? {
        let sealed = try requireKeys()
        do throws(VFSFailure) {
            try unsafe readPage(1, into: sealed.scratch, sealed)
            return seenSerial
        } catch {
            guard error.code == SQLITE_IOERR_DATA || error.code == SQLITE_IOERR_SHORT_READ else { throw error }
            return nil
        }
    }
}
