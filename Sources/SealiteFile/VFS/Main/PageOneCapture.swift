import CSQLite
package import SealiteCrypto

/// Page 1 in plain and its serial, as one read transaction saw them. The VFS fills it in while SQLite reads.
@safe package final class PageOneCapture {
    private let text: UnsafeMutableRawPointer
    private let byteCount: Int
    private var isFilled = false
    package private(set) var serial: UInt32 = 0

    init(pageSize: Int) {
        byteCount = pageSize - PageTrailer.byteCount
        unsafe text = .allocate(byteCount: byteCount, alignment: 8)
        unsafe memset(text, 0, byteCount)
    }

    deinit {
        unsafe memset(text, 0, byteCount)
        unsafe text.deallocate()
    }

    /// Takes what SQLite is about to get. The last page of a transaction's beginning is the one it sees.
    func take(_ page: UnsafeRawPointer, serial: UInt32) {
        unsafe memcpy(text, page, byteCount)
        self.serial = serial
        isFilled = true
    }

    /// The digest of a record with these numbers over this page. `Documentation/FORMAT.md` §15.
    package func digest(prefix: [UInt8], key: borrowing SecretBytes) throws(CryptoError) -> [UInt8] {
        let message = UnsafeMutableRawBufferPointer.allocate(byteCount: prefix.count + byteCount, alignment: 8)
        defer {
            _ = unsafe message.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe message.deallocate()
        }
        unsafe message.copyBytes(from: prefix)
        unsafe message.baseAddress?.advanced(by: prefix.count).copyMemory(from: text, byteCount: byteCount)
        return unsafe try HMACSHA256.authenticationCode(for: UnsafeRawBufferPointer(message), key: key)
    }

    /// Begins a read transaction on a connection that has read nothing yet, and keeps the page 1 that it sees.
    package static func read(on connection: RawConnection, pageSize: Int) throws(SealedFileError) -> PageOneCapture {
        let capture = PageOneCapture(pageSize: pageSize)
        let code = unsafe connection.control(
            PrivateControl.capturePageOne, Unmanaged.passUnretained(capture).toOpaque())
        guard code == SQLITE_OK else { throw connection.error(code) }
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        guard capture.isFilled else {
            throw SealedFileError(.internalFailure, "SQLite read no page 1 of \"\(connection.path)\"")
        }
        return capture
    }
}
