import CSQLite
import SealiteFile

/// Copies a database with a rollback journal: all pages without a lock, whoever writes meanwhile; then, as often as it
/// takes to come near, those that changed since; at last, under a read lock, the few that are left. A writer waits for a look at
/// eight bytes of each page, not for a copy of the file.
///
/// A page's tag tells whether it changed: it is another with every write. It is always that of the very bytes that were copied.
final class CatchUpPass {
    /// The tag of each page as it was copied, in part; 0 where it has to be copied.
    private var tags: [UInt64] = []
    /// The number of pages that the last pass copied.
    private(set) var copiedCount = 0
    private var isFirst = true
    private let output: BaseHandle
    private let sealed: PageCodec
    private let page: PlainBuffer
    /// Sealed pages as they were read.
    private let images: PlainBuffer
    private let imageCount: Int

    /// Pages in one step, after which progress is told.
    static let pagesPerStep = 256
    /// No more than the unix VFS reads in one call.
    private static let imagesByteCount = 128 << 10

    init(into copy: SealedDatabase) throws(SealedFileError) {
        output = try BaseHandle(copy.path, vfs: copy.vfs.base, flags: SQLITE_OPEN_READWRITE)
        sealed = PageCodec(ring: copy.ring, use: .main)
        page = PlainBuffer(byteCount: copy.pageSize)
        imageCount = Self.imagesByteCount / copy.pageSize
        images = PlainBuffer(byteCount: imageCount * copy.pageSize)
    }

    /// Begins a pass over so many pages.
    func begin(pageCount: Int) {
        isFirst = tags.isEmpty
        copiedCount = 0
        tags += Array(repeating: 0, count: max(0, pageCount - tags.count))
        tags.removeLast(tags.count - pageCount)
    }

    /// Copies what changed among `pagesPerStep` pages from `first` on. Without a lock a page may be half written, or gone: it
    /// is left for the next pass. Under one that is damage.
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

    /// Copies pages as they are now.
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
            // A rotation has begun meanwhile.
            try file.keys.followHeader()
            opening = try unsafe source.open(image, number: number, into: page.start)
        }
        guard case .opened = opening else { return }
        try write(number)
        tags[index] = unsafe (image + source.textByteCount + PageTrailer.tag).loadUnaligned(as: UInt64.self)
    }

    /// Only a rotation writes now, and leaves content as it is.
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
        // The copy's own history begins here: its page 1 has the serial of a new file.
        unsafe try sealed.seal(page.start, number: number, spare: number == 1 ? 1 : 0)
        unsafe try check(output.file.write(sealed.scratch, sealed.pageSize, at: sealed.offset(of: number)))
        copiedCount += 1
    }

    /// Cuts off what belongs to pages that the database had before.
    func end() throws(SealedFileError) {
        let byteCount = Int64(HeaderLayout.regionByteCount) + Int64(tags.count) * Int64(sealed.pageSize)
        try SealedFileError.mapping { () throws(VFSFailure) in
            if try output.file.size().get() > byteCount { try check(output.file.truncate(to: byteCount)) }
        }
    }
}

/// Memory that is wiped when it goes.
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
