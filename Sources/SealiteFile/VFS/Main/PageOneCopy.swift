import CSQLite

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
