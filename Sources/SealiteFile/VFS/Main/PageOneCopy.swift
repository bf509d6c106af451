import CSQLite
package import SealiteCrypto

/// A cache of the parts of page 1 that SQLite reads before any lock and at each transaction.
@safe final class PageOneCopy {
    static let headByteCount = 100
    static let versionOffset: Int64 = 24
    static let versionByteCount = 16

    /// The first 100 bytes, in plaintext, of the last page 1 that was opened or sealed.
    private let head: UnsafeMutableRawPointer
    /// The 48-byte trailer (nonce, tag, epoch and serial) of that page: an equal trailer means the same page 1.
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

    /// Stores the trailer of a sealed page 1. Decryption in place would overwrite it, so this is called before.
    func keepTrailer(_ bytes: UnsafeRawPointer) {
        isKept = false
        unsafe memcpy(trailer, bytes, PageTrailer.byteCount)
    }

    /// Stores the plaintext that belongs to the trailer stored last.
    func keepText(_ page: UnsafeRawPointer) {
        assert(!isKept, "the trailer is stored before the text that belongs to it")
        unsafe memcpy(head, page, Self.headByteCount)
        isKept = true
    }

    /// Returns whether a trailer equals the one of the cached plaintext.
    func isSame(asTrailer bytes: UnsafeRawPointer) -> Bool {
        unsafe isKept && memcmp(trailer, bytes, PageTrailer.byteCount) == 0
    }

    /// Copies the 16 bytes at offset 24 by which SQLite detects changes of the database.
    func copyVersion(to buffer: UnsafeMutableRawPointer) {
        assert(isKept, "the version is that of a page that was read")
        unsafe memcpy(buffer, head + Int(Self.versionOffset), Self.versionByteCount)
    }
}

/// The plaintext of page 1 and its page-one serial, the counter that a transaction raises when it writes page 1, as one
/// read transaction saw them. The VFS fills it in while SQLite reads.
@safe package final class PageOneCapture {
    private let text: UnsafeMutableRawPointer
    private let byteCount: Int
    private var isFilled = false
    package private(set) var serial: UInt32 = 0

    init(pageSize: Int) {
        byteCount = pageSize - PageTrailer.byteCount
        assert(byteCount > 0)
        unsafe text = .allocate(byteCount: byteCount, alignment: 8)
        unsafe memset(text, 0, byteCount)
    }

    deinit {
        unsafe memset(text, 0, byteCount)
        unsafe text.deallocate()
    }

    /// Stores a page 1 that SQLite is about to receive, in place of the one stored before. SQLite may read page 1
    /// several times when a transaction begins; the transaction sees the last of them.
    func take(_ page: UnsafeRawPointer, serial: UInt32) {
        unsafe memcpy(text, page, byteCount)
        self.serial = serial
        isFilled = true
    }

    /// Computes the digest of a freshness record over `prefix`, which encodes the record's numbers, and this page.
    /// `Documentation/FORMAT.md` §15.
    package func digest(prefix: [UInt8], key: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
        assert(isFilled, "the digest is that of a page that was read")
        let message = UnsafeMutableRawBufferPointer.allocate(byteCount: prefix.count + byteCount, alignment: 8)
        defer {
            _ = unsafe message.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe message.deallocate()
        }
        unsafe message.copyBytes(from: prefix)
        unsafe message.baseAddress?.advanced(by: prefix.count).copyMemory(from: text, byteCount: byteCount)
        return unsafe try HMACSHA256.authenticationCode(for: UnsafeRawBufferPointer(message), key: key)
    }

    /// Begins a read transaction on a connection that hasn't read anything yet, and captures the page 1 that it sees.
    package static func read(on connection: RawConnection, pageSize: Int) throws(SealedFileError) -> PageOneCapture {
        let capture = PageOneCapture(pageSize: pageSize)
        let code = unsafe connection.control(
            PrivateControl.capturePageOne, Unmanaged.passUnretained(capture).toOpaque())
        guard code == SQLITE_OK else { throw connection.error(code) }
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        guard capture.isFilled else {
            throw SealedFileError(
                .internalFailure, "SQLite didn't read page 1 of \"\(connection.path)\" in a new transaction")
        }
        return capture
    }
}

/// The page-one serials that one connection reads and writes. The serial is a counter in the trailer of page 1: a
/// transaction that writes page 1 gives it a serial that is one higher than that of the page 1 it found.
/// `Documentation/FORMAT.md` §6.
final class PageOneSerials {
    /// The serial of page 1 as this connection last read or wrote it.
    private(set) var seen: UInt32 = 0
    /// The serial of page 1 at the beginning of the running transaction; nil if none runs.
    private var before: UInt32?

    /// Records the serial of a page 1 that was read or written.
    func note(_ serial: UInt32) { seen = serial }

    /// Records the beginning of a transaction, with page 1 as last read.
    func transactionBegins() { before = seen }

    /// Records that a hot journal is about to be rolled back, which restores page 1 as of the end of the preceding
    /// transaction. `serial` is the serial of that page 1.
    func playsBack(_ serial: UInt32) { before = serial }

    /// Records the end of the transaction.
    func transactionEnded() { before = nil }

    /// Returns the serial of page 1 before the running transaction. If none runs, a transaction is recorded as begun.
    func beforeTransaction() -> UInt32 {
        let serial = before ?? seen
        before = serial
        return serial
    }

    /// Returns the serial that the running transaction gives to page 1 if it writes the page.
    func ofTransaction() -> UInt32 { beforeTransaction() &+ 1 }
}
