import CSQLite
import SealiteCrypto
import SealiteFile

/// The write-ahead log of a damaged database: the newest authentic frame of each page, up to the last readable commit.
/// Lost frames don't end it: frames before a commit of the same log were committed.
@safe final class SalvagedLog {
    private let handle: BaseHandle
    private let pages: PageCodec
    private let frameByteCount: Int
    private let buffer: UnsafeMutableRawPointer
    /// The index of the frame with the newest content of each page, by page number.
    private(set) var newest: [UInt32: UInt32] = [:]
    /// The number of pages in the database after the last commit; nil if no commit is readable.
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
            // After the last commit follow frames of an earlier log, which are old rather than lost.
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

    /// Returns a page's content from the log; nil if the log doesn't contain it.
    func page(_ number: UInt32) -> [UInt8]? {
        guard let frame = newest[number], open(frame) else { return nil }
        return unsafe Array(
            UnsafeRawBufferPointer(start: buffer + WALHeader.frameHeaderByteCount, count: pages.pageSize))
    }
}
