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

    /// Returns whether a trailer is the one that belongs to the text.
    func isSame(asTrailer bytes: UnsafeRawPointer) -> Bool {
        unsafe isKept && memcmp(trailer, bytes, PageTrailer.byteCount) == 0
    }

    /// Copies the bytes by which SQLite sees whether page 1 changed: 16 at offset 24.
    func copyVersion(to buffer: UnsafeMutableRawPointer) {
        unsafe memcpy(buffer, head + Int(Self.versionOffset), Self.versionByteCount)
    }
}
