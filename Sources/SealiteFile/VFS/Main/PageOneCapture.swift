import CSQLite
package import SealiteCrypto

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
