import CSQLite
internal import SealiteBase

/// The write-ahead log: a clear-text header, then pages sealed together with their frame headers.
/// `Documentation/FORMAT.md` §7.
///
/// SQLite writes a frame's header and its page in two calls, rewrites a page alone or a header alone within a
/// transaction, and reads a page with or without its header. The header of a new frame is held until its page is
/// written; the last frame opened is cached.
@safe package final class WALFile: VFSFile, SidecarFile {
    private let owner: MainFile
    var main: VFSFile? { owner }
    private let frames: PageCodec
    private let frameByteCount: Int
    /// The last frame that this object encrypted or decrypted, header and page, as plaintext.
    private let plain: UnsafeMutableRawPointer
    private var plainIndex: UInt32?
    private var plainSerial: UInt32 = 0
    /// The index of a new frame whose header was written and whose page wasn't yet.
    private var pendingIndex: UInt32?
    private let pendingHeader: UnsafeMutableRawPointer
    /// The WAL header as stored, 32 bytes, which is part of each frame's associated data; nil if it must be read again.
    private var boundHeader: [UInt8]?
    private var headerMayHaveChanged = true
    private var boundSalts: UInt64?
    /// The frames written since the write lock was taken: if one of them isn't authentic, it is damaged, rather than
    /// past the end of the log.
    private var written: ClosedRange<UInt32>? {
        didSet { if written == nil { headers.forget() } }
    }
    /// The cache of the headers of the frames that the running transaction has written.
    private var headers = FrameHeaders()

    init(base: BaseFile, main: MainFile, ring: KeyRing) {
        owner = main
        frames = PageCodec(ring: ring, use: .wal)
        frameByteCount = ring.pageSize + WALHeader.frameHeaderByteCount
        assert(frameByteCount == frames.textByteCount + PageTrailer.byteCount, "a frame is sealed in place")
        unsafe plain = .allocate(byteCount: frameByteCount, alignment: 64)
        unsafe plain.initializeMemory(as: UInt8.self, repeating: 0, count: frameByteCount)
        unsafe pendingHeader = .allocate(byteCount: WALHeader.frameHeaderByteCount, alignment: 8)
        unsafe memset(pendingHeader, 0, WALHeader.frameHeaderByteCount)
        super.init(base: base)
    }

    deinit {
        unsafe pendingHeader.deallocate()
        unsafe memset(plain, 0, frameByteCount)
        unsafe plain.deallocate()
    }

    // MARK: Called by the main file

    /// Forgets the log's header after a read slot, the write lock or the checkpoint lock was taken: another process may
    /// have restarted the log.
    func logMayHaveChanged() {
        headerMayHaveChanged = true
        plainIndex = nil
    }

    func transactionEnded() {
        assert(pendingIndex.map { written?.contains($0) != true } ?? true, "no header of a commit is held")
        written = nil
    }

    /// Returns the page-one serial for a write of page 1 by a WAL checkpoint: that of the last opened frame, if the
    /// frame contains page 1 and `text` is its page; otherwise nil.
    func serialOfCopiedPageOne(_ text: UnsafeRawPointer, _ pageSize: Int) -> UInt32? {
        guard plainIndex != nil, unsafe frameHoldsPageOne(plain) else { return nil }
        let isSame = unsafe memcmp(plain + WALHeader.frameHeaderByteCount, text, pageSize) == 0
        return isSame ? plainSerial : nil
    }

    // MARK: Shapes of I/O

    private enum Region {
        case header(offset: Int)
        case frame(index: UInt32, offset: Int)
    }

    private func place(of offset: Int64) throws(VFSFailure) -> Region {
        guard offset >= WALHeader.byteCount else { return .header(offset: Int(offset)) }
        let (index, within) = (offset - Int64(WALHeader.byteCount)).quotientAndRemainder(
            dividingBy: Int64(frameByteCount))
        guard index < UInt32.max else { throw VFSFailure(SQLITE_IOERR) }
        return .frame(index: UInt32(index), offset: Int(within))
    }

    private func physicalOffset(of index: UInt32) -> Int64 {
        Int64(WALHeader.byteCount) + Int64(index) * Int64(frameByteCount)
    }

    override func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        pendingIndex = nil
        switch try place(of: offset) {
        case .header(let within):
            try unsafe readHeader(into: buffer, byteCount, from: within)
        case .frame(let index, 0) where byteCount == frameByteCount:
            try unsafe readForRecovery(index, into: buffer)
        case .frame(let index, let within) where within + byteCount <= frameByteCount:
            try openFrame(index)
            unsafe memcpy(buffer, plain + within, byteCount)
            if let capture = owner.reader.capture, byteCount == frames.pageSize, unsafe frameHoldsPageOne(plain) {
                unsafe capture.take(buffer, serial: plainSerial)
            }
        default:
            throw VFSFailure(SQLITE_IOERR_READ)
        }
    }

    override func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        switch try place(of: offset) {
        case .header(0) where byteCount == WALHeader.byteCount:
            pendingIndex = nil
            try unsafe writeHeader(UnsafeRawBufferPointer(start: buffer, count: byteCount))
        case .frame(let index, 0) where byteCount == WALHeader.frameHeaderByteCount:
            pendingIndex = nil
            if written?.contains(index) == true { return try unsafe rewriteHeader(buffer, frame: index) }
            // If its page doesn't follow, the write of this failed in a layer above this VFS, and the header is dropped.
            unsafe memcpy(pendingHeader, buffer, byteCount)
            pendingIndex = index
        case .frame(let index, WALHeader.frameHeaderByteCount) where byteCount == frames.pageSize:
            try unsafe writePage(buffer, frame: index)
        default:
            throw VFSFailure(
                SQLITE_IOERR_WRITE,
                .refusedWrite(
                    "\(byteCount) bytes at offset \(offset) aren't the header or a frame of a WAL", hint: nil))
        }
    }

    // MARK: The log's header

    private func readHeader(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, from within: Int) throws(VFSFailure)
    {
        guard within + byteCount <= WALHeader.byteCount else { throw VFSFailure(SQLITE_IOERR_READ) }
        let onDisk = try base.bytes(WALHeader.byteCount, at: 0).get()
        guard onDisk.count == WALHeader.byteCount else {
            unsafe memset(buffer, 0, byteCount)
            throw .shortRead
        }
        bind(to: onDisk)
        // A plain log, or one of another page size, doesn't belong to this database: SQLite is shown no valid header,
        // and starts a new log.
        let shown = try WALHeader.plain(fromSealed: onDisk, pageSize: frames.pageSize)
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: byteCount).copyBytes(
            from: shown[within..<within + byteCount])
    }

    private func writeHeader(_ header: UnsafeRawBufferPointer) throws(VFSFailure) {
        let onDisk = unsafe WALHeader.sealed(fromPlain: Array(header))
        try check(base.write(onDisk, at: 0))
        bind(to: onDisk)
    }

    private func bind(to onDisk: [UInt8]) {
        assert(onDisk.count == WALHeader.byteCount)
        if onDisk != boundHeader {
            unsafe onDisk.withUnsafeBytes { unsafe frames.bind(walHeader: $0) }
            boundHeader = onDisk
            boundSalts = unsafe onDisk.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
            plainIndex = nil
            written = nil
        }
        headerMayHaveChanged = false
    }

    private func refreshBinding() throws(VFSFailure) {
        guard headerMayHaveChanged || boundHeader == nil else { return }
        if let boundSalts, owner.walIndex.salts == boundSalts {
            headerMayHaveChanged = false
            return
        }
        let onDisk = try base.bytes(WALHeader.byteCount, at: 0).get()
        guard onDisk.count == WALHeader.byteCount else { throw .shortRead }
        bind(to: onDisk)
    }

    // MARK: Frames

    /// Reads a header and its page in one call, as SQLite does when it recovers the log or rewrites checksums. A frame
    /// that isn't authentic marks the end of the log and is returned with page number 0, unless this connection wrote
    /// it.
    private func readForRecovery(_ index: UInt32, into buffer: UnsafeMutableRawPointer) throws(VFSFailure) {
        do throws(VFSFailure) {
            try openFrame(index)
            unsafe memcpy(buffer, plain, frameByteCount)
        } catch {
            guard error.code == SQLITE_IOERR_DATA, written?.contains(index) != true else { throw error }
            unsafe memset(buffer, 0, frameByteCount)
        }
    }

    /// Opens frame `index` into `plain`.
    private func openFrame(_ index: UInt32) throws(VFSFailure) {
        try refreshBinding()
        assert(boundHeader != nil, "a frame is bound to the header of its log")
        if plainIndex == index { return }
        plainIndex = nil
        let code = unsafe base.read(into: frames.scratch, frameByteCount, at: physicalOffset(of: index))
        if code == SQLITE_IOERR_SHORT_READ, try base.size().get() <= physicalOffset(of: index) { throw .shortRead }
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        var opening = unsafe try frames.open(frames.scratch, number: index, into: plain)
        if case .unknownEpoch(let epoch) = opening, epoch != 0 {
            try owner.keys.followHeader()
            opening = unsafe try frames.open(frames.scratch, number: index, into: plain)
        }
        guard case .opened(let pageOneSerial) = opening else {
            throw VFSFailure(
                SealedFileError(
                    .damagedFrame,
                    "WAL frame \(index) failed authentication (\(frameByteCount) bytes at offset \(physicalOffset(of: index)))",
                    hint: FileRemedy.verifyLog.hint))
        }
        (plainIndex, plainSerial) = (index, pageOneSerial)
    }

    private func writePage(_ page: UnsafeRawPointer, frame index: UInt32) throws(VFSFailure) {
        guard unsafe WriteRules.reserveIsEmpty(page, frames.pageSize) else {
            throw VFSFailure(
                SQLITE_IOERR_WRITE,
                .refusedWrite("a page has content in its last 48 bytes, which a sealed database reserves"))
        }
        if pendingIndex == index {
            pendingIndex = nil
            unsafe memcpy(plain, pendingHeader, WALHeader.frameHeaderByteCount)
        } else {
            // A page that is overwritten after a cache spill keeps its frame header until SQLite overwrites the header
            // too.
            pendingIndex = nil
            if unsafe !headers.copy(index, to: plain) { try openFrame(index) }
        }
        if unsafe !frameCommits(plain) {
            plainIndex = nil
            try owner.requireNotStopped()
        }
        unsafe memcpy(plain + WALHeader.frameHeaderByteCount, page, frames.pageSize)
        try sealPlain(index)
    }

    /// Writes a frame of the running transaction with another header and the page that it has. SQLite rewrites the headers
    /// of a transaction that overwrote pages, the commit's last, and mayn't call this file again before the commit counts:
    /// such a header must not be held.
    private func rewriteHeader(_ header: UnsafeRawPointer, frame index: UInt32) throws(VFSFailure) {
        try openFrame(index)
        unsafe memcpy(plain, header, WALHeader.frameHeaderByteCount)
        try sealPlain(index)
    }

    /// Seals `plain` and writes it as frame `index`.
    private func sealPlain(_ index: UInt32) throws(VFSFailure) {
        assert(pendingIndex == nil, "a held header is that of the frame, or dropped")
        plainIndex = nil
        try refreshBinding()
        assert(boundHeader != nil, "a frame is bound to the header of its log")
        if written == nil { try sealing { () throws(SealedFileError) in try frames.beginSealing() } }
        let pageOneSerial = unsafe frameHoldsPageOne(plain) ? owner.serials.ofTransaction() : 0
        unsafe try frames.seal(plain, number: index, pageOneSerial: pageOneSerial)
        try unsafe check(base.write(frames.scratch, frameByteCount, at: physicalOffset(of: index)))
        if unsafe frameHoldsPageOne(plain) { owner.serials.note(pageOneSerial) }
        written = min(written?.lowerBound ?? index, index)...max(written?.upperBound ?? index, index)
        unsafe headers.keep(index, plain)
        (plainIndex, plainSerial) = (index, pageOneSerial)
    }

    private func frameHoldsPageOne(_ frame: UnsafeRawPointer) -> Bool {
        unsafe UInt32(bigEndian: frame.loadUnaligned(as: UInt32.self)) == 1
    }

    /// Returns whether a frame ends a transaction: its header has the size of the database after the commit.
    private func frameCommits(_ frame: UnsafeRawPointer) -> Bool {
        unsafe frame.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
    }

    // MARK: The rest

    override func truncate(to byteCount: Int64) throws(VFSFailure) {
        pendingIndex = nil
        plainIndex = nil
        try check(base.truncate(to: byteCount))
    }

    override func sync(_ flags: CInt) throws(VFSFailure) { try check(base.sync(flags)) }

    package override func size() throws(VFSFailure) -> Int64 { try base.size().get() }

    override func close() {
        assert(owner.wal === self, "a database has one log open")
        owner.wal = nil
    }
}

/// A cache of the frame headers that the running transaction has written to the log.
///
/// A transaction larger than SQLite's page cache overwrites frames that it wrote before; with the cache, the header of
/// such a frame needn't be read and decrypted. The cache holds 24 bytes per frame and at most 1.5 MiB; headers of later
/// frames are read from the file.
struct FrameHeaders {
    private var words: [(UInt64, UInt64, UInt64)] = []
    /// The index of the first cached frame.
    private var first: UInt32 = 0
    static let mostFrames = 65_536

    /// Stores the 24-byte header of frame `index` if the frame is cached already or follows the last cached frame;
    /// ignores any other frame.
    mutating func keep(_ index: UInt32, _ header: UnsafeRawPointer) {
        let entry = unsafe (
            header.loadUnaligned(as: UInt64.self), header.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            header.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        )
        if words.isEmpty { first = index }
        let place = Int(index) - Int(first)
        if words.indices.contains(place) {
            words[place] = entry
        } else if place == words.count, place < Self.mostFrames {
            words.append(entry)
        }
    }

    /// Copies the header of frame `index` to `place`; returns false, without copying, if it isn't cached.
    func copy(_ index: UInt32, to place: UnsafeMutableRawPointer) -> Bool {
        let number = Int(index) - Int(first)
        guard words.indices.contains(number) else { return false }
        let entry = words[number]
        unsafe place.storeBytes(of: entry.0, as: UInt64.self)
        unsafe place.storeBytes(of: entry.1, toByteOffset: 8, as: UInt64.self)
        unsafe place.storeBytes(of: entry.2, toByteOffset: 16, as: UInt64.self)
        return true
    }

    mutating func forget() { words.removeAll(keepingCapacity: words.count < 4096) }
}
