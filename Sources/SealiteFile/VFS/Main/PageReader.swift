import CSQLite

/// Reads and decrypts pages, and parts of pages, of an open database file.
@safe package final class PageReader {
    private let base: BaseFile
    private let keys: FileKeys
    private let holes: Holes
    private let ahead: ReadAhead
    private let pageOne: PageOneCopy
    private let serials: PageOneSerials
    private let rotation: RotationFollower
    /// The receiver of every page 1 that is read, set while a freshness record is created or checked.
    var capture: PageOneCapture?

    init(
        base: BaseFile, keys: FileKeys, holes: Holes, ahead: ReadAhead, pageOne: PageOneCopy, serials: PageOneSerials,
        rotation: RotationFollower
    ) {
        self.base = base
        self.keys = keys
        self.holes = holes
        self.ahead = ahead
        self.pageOne = pageOne
        self.serials = serials
        self.rotation = rotation
    }

    /// Reads a range of the file that SQLite requests: a page, a part of page 1 that it checks, or a part of another
    /// page.
    func read(
        into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64, _ codec: PageCodec
    ) throws(VFSFailure) {
        let pageSize = codec.pageSize
        if byteCount == pageSize, offset & Int64(pageSize - 1) == 0 {
            try unsafe readPage(UInt32(truncatingIfNeeded: offset / Int64(pageSize) + 1), into: buffer, codec)
        } else if offset == PageOneCopy.versionOffset, byteCount == PageOneCopy.versionByteCount {
            try unsafe readVersion(into: buffer, codec)
        } else if offset == 0, byteCount == PageOneCopy.headByteCount {
            try unsafe readHead(into: buffer, codec)
        } else if offset == 0, byteCount > pageSize, SealedPageSize.isValid(byteCount) {
            try unsafe readLargerPageOne(into: buffer, byteCount, codec)
        } else {
            try unsafe readPart(into: buffer, byteCount, at: offset, codec)
        }
    }

    // MARK: Whole pages

    /// Reads page `number` into `buffer` and decrypts it there. A page that the running transaction skipped reads as
    /// zeros.
    package func readPage(_ number: UInt32, into buffer: UnsafeMutableRawPointer, _ codec: PageCodec)
        throws(VFSFailure)
    {
        assert(number > 0, "pages are counted from 1")
        // Page 1 is never a hole: SQLite keeps it in its cache while it writes.
        if !holes.isEmpty, number > 1, holes.contains(number) {
            unsafe memset(buffer, 0, codec.pageSize)
            return
        }
        if unsafe try readAhead(number, into: buffer, codec) { return }
        let place = codec.offset(of: number)
        try unsafe readWhole(number, into: buffer, codec)
        if number == 1 { unsafe pageOne.keepTrailer(buffer + codec.textByteCount) }
        var opening = try unsafe codec.open(buffer, number: number)
        if case .opened = opening {
        } else {
            // Retry: the header may have changed, or the page may have been written during the read.
            try keys.followHeader()
            if keys.isRotating {
                opening = try unsafe rotation.read(number, into: buffer, codec)
            } else {
                try unsafe check(base.read(into: buffer, codec.pageSize, at: place))
                if number == 1 { unsafe pageOne.keepTrailer(buffer + codec.textByteCount) }
                opening = try unsafe codec.open(buffer, number: number)
            }
        }
        guard case .opened(let pageOneSerial) = opening else {
            throw VFSFailure(try damage(of: number, opening, codec))
        }
        if number == 1 {
            serials.note(pageOneSerial)
            unsafe pageOne.keepText(buffer)
            unsafe capture?.take(buffer, serial: pageOneSerial)
        }
    }

    /// Copies a page that was opened ahead, or decrypts it from the read-ahead buffer. Returns false if neither has the
    /// page or the page isn't authentic; the page is then read individually, which reports the error.
    @inline(__always)
    private func readAhead(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ codec: PageCodec
    ) throws(VFSFailure) -> Bool {
        guard number > 1, let page = ahead.page(number, of: codec, from: base) else { return false }
        switch page {
        case .opened(let text):
            // Opened before the keys were wiped: reading the page individually reports that they are.
            guard !codec.ring.isLocked else {
                ahead.forget()
                return false
            }
            unsafe memcpy(buffer, text, codec.pageSize)
            return true
        case .sealed(let image):
            if case .opened = unsafe try codec.open(image, number: number, into: buffer) { return true }
            ahead.forget()
            return false
        }
    }

    private func readWhole(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ codec: PageCodec
    ) throws(VFSFailure) {
        let place = codec.offset(of: number)
        let code = unsafe base.read(into: buffer, codec.pageSize, at: place)
        guard code != SQLITE_OK else { return }
        guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        let size = try base.size().get()
        guard size > place else {
            unsafe memset(buffer, 0, codec.pageSize)
            throw .shortRead
        }
        throw VFSFailure(
            .damagedPage(number, pageSize: codec.pageSize, cause: "is cut short after \(size - place) bytes"))
    }

    private func damage(
        of number: UInt32, _ opening: PageCodec.Opening, _ codec: PageCodec
    ) throws(VFSFailure) -> SealedFileError {
        if case .unknownEpoch(let epoch) = opening, epoch != 0 {
            return .damagedPage(
                number, pageSize: codec.pageSize,
                cause: "names the page key of epoch \(epoch), which the header doesn't have")
        }
        let isHole = try base.bytes(codec.pageSize, at: codec.offset(of: number)).get().allSatisfy { $0 == 0 }
        return .damagedPage(
            number, pageSize: codec.pageSize,
            cause: isHole
                ? "holds only zeros: it was never written, or was erased"
                : "failed authentication: the file was altered or the disk returned wrong data")
    }

    /// Reads page 1 for a connection that opened the file while it was empty and expects larger pages. SQLite reads the
    /// page size from the head of page 1 and starts again with it, so the rest of the buffer may be zeros.
    private func readLargerPageOne(
        into buffer: UnsafeMutableRawPointer, _ byteCount: Int, _ codec: PageCodec
    ) throws(VFSFailure) {
        unsafe memset(buffer, 0, byteCount)
        try unsafe readPage(1, into: codec.scratch, codec)
        unsafe memcpy(buffer, codec.scratch, codec.textByteCount)
        unsafe memset(codec.scratch, 0, codec.pageSize)
    }

    /// Reads a part of a page, at an offset in the file. SQLite reads in this way when it bypasses its page cache for
    /// overflow pages.
    private func readPart(
        into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64, _ codec: PageCodec
    ) throws(VFSFailure) {
        let within = Int(offset % Int64(codec.pageSize))
        guard offset >= 0, within + byteCount <= codec.pageSize else { throw VFSFailure(SQLITE_IOERR_READ) }
        let number = UInt32(truncatingIfNeeded: offset / Int64(codec.pageSize) + 1)
        try unsafe readPage(number, into: codec.scratch, codec)
        unsafe memcpy(buffer, codec.scratch + within, byteCount)
        unsafe memset(codec.scratch, 0, codec.pageSize)
    }

    // MARK: Parts of page 1

    /// Reads the 100 bytes that SQLite requests when it opens the file, before any lock. For a torn page 1 the bytes
    /// are made from the sealed header: an error here would keep SQLite from rolling back the journal or recovering the
    /// WAL that repairs page 1. Page 1 itself is read later, under a lock, and that read does fail.
    private func readHead(into buffer: UnsafeMutableRawPointer, _ codec: PageCodec) throws(VFSFailure) {
        do throws(VFSFailure) {
            try unsafe readPage(1, into: codec.scratch, codec)
            unsafe memcpy(buffer, codec.scratch, PageOneCopy.headByteCount)
        } catch {
            guard error.code == SQLITE_IOERR_DATA else { throw error }
            let head = PageOneImage.head(pageSize: codec.pageSize)
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: PageOneCopy.headByteCount).copyBytes(from: head)
        }
    }

    /// Reads the 16 bytes by which SQLite checks, once per read transaction, whether its cache is current.
    private func readVersion(into buffer: UnsafeMutableRawPointer, _ codec: PageCodec) throws(VFSFailure) {
        ahead.forget()
        if try !isPageOneAsKept(codec) {
            do throws(VFSFailure) {
                try unsafe readPage(1, into: codec.scratch, codec)
            } catch {
                guard error.code == SQLITE_IOERR_DATA else { throw error }
                // Equal to no cached value: SQLite drops its cache, and the next read of page 1 reports the damage.
                unsafe memset(buffer, 0xFF, PageOneCopy.versionByteCount)
                return
            }
        }
        unsafe pageOne.copyVersion(to: buffer)
    }

    /// Returns whether page 1 on disk is the cached one: nonces are unique to a write, so equal trailers mean the same
    /// page.
    private func isPageOneAsKept(_ codec: PageCodec) throws(VFSFailure) -> Bool {
        let place = codec.offset(of: 1) + Int64(codec.pageSize - PageTrailer.byteCount)
        let code = unsafe base.read(into: codec.scratch, PageTrailer.byteCount, at: place)
        guard code == SQLITE_OK else {
            guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            return false
        }
        return unsafe pageOne.isSame(asTrailer: codec.scratch)
    }

    /// Returns the page-one serial of page 1 on disk; nil if the page isn't authentic or is missing.
    func serialOnDisk() throws(VFSFailure) -> UInt32? {
        let codec = try keys.require()
        do throws(VFSFailure) {
            try unsafe readPage(1, into: codec.scratch, codec)
            return serials.seen
        } catch {
            guard error.code == SQLITE_IOERR_DATA || error.code == SQLITE_IOERR_SHORT_READ else { throw error }
            return nil
        }
    }
}
