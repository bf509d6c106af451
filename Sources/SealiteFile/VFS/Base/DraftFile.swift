import CSQLite
import Glibc

/// A draft that SQLite has open, or the journal or log of one, which has no name either.
///
/// Nobody else can open the file, and its connections follow one another, so there are no locks, and the shared memory of
/// a log is ordinary memory. Nothing is synced: `NewFile` syncs the file before it gets its name, and what a power
/// failure leaves has none.
@safe final class DraftFile {
    private let descriptor: CInt
    private let closesDescriptor: Bool
    private var regions: [UnsafeMutableRawPointer] = unsafe []

    /// Creates the object for a descriptor, which is closed with the file if `closesDescriptor` is true.
    init(_ descriptor: CInt, closesDescriptor: Bool) {
        (self.descriptor, self.closesDescriptor) = (descriptor, closesDescriptor)
    }

    func close() {
        unmap()
        if closesDescriptor { Glibc.close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount >= 0 && offset >= 0)
        var done = 0
        while done < byteCount {
            let count = unsafe pread(descriptor, buffer + done, byteCount - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return SQLITE_IOERR_READ }
            if count == 0 {
                // SQLite requires the rest of the buffer to be zero.
                unsafe memset(buffer + done, 0, byteCount - done)
                return SQLITE_IOERR_SHORT_READ
            }
            done += count
        }
        return SQLITE_OK
    }

    func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) -> CInt {
        assert(byteCount >= 0 && offset >= 0)
        var done = 0
        while done < byteCount {
            let count = unsafe pwrite(descriptor, buffer + done, byteCount - done, off_t(offset) + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                return count == 0 || errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE
            }
            done += count
        }
        return SQLITE_OK
    }

    func truncate(to byteCount: Int64) -> CInt {
        ftruncate(descriptor, off_t(byteCount)) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE
    }

    /// The size of the file in bytes; nil if the system can't say.
    var byteCount: Int64? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }

    // MARK: The memory of a log

    /// Returns a region of the log's index, which is created if it doesn't exist and `extends` is true.
    func region(_ number: Int, _ byteCount: Int, extends: Bool) -> UnsafeMutableRawPointer? {
        assert(number >= 0 && byteCount > 0)
        while unsafe extends && regions.count <= number {
            let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            unsafe memset(region, 0, byteCount)
            unsafe regions.append(region)
        }
        return unsafe number < regions.count ? regions[number] : nil
    }

    func unmap() {
        unsafe regions.forEach { unsafe $0.deallocate() }
        unsafe regions = []
    }
}
