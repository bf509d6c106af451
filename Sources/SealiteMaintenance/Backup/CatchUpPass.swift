import CSQLite
import SealiteFile

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
        unsafe try check(output.file.write(sealed.scratch, sealed.pageSize, at: sealed.offset(of: number)))
        copiedCount += 1
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
@safe private final class PlainBuffer {
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
