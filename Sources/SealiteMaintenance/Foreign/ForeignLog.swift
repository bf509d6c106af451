import CSQLite
import SealiteFile

/// The write-ahead log beside a database that another program encrypted: the newest frame of each page up to the last
/// commit. <https://sqlite.org/fileformat2.html#the_write_ahead_log>
///
/// SQLCipher and SQLite3MultipleCiphers encrypt the page of a frame as a page of the file, and SQLite's checksums are of the
/// encrypted bytes. A frame is authentic if its page is; that the last commits are missing isn't noticed.
struct ForeignLog {
    private let file: BaseFile
    private let pageSize: Int
    /// The offset of the newest content of each page in the log, by page number.
    private(set) var places: [UInt32: Int64] = [:]
    /// The number of pages of the database after the last commit.
    private(set) var pageCount: UInt32 = 0

    /// Reads a log; nil if it has no commit, so that the database file is complete.
    ///
    /// - Parameters:
    ///   - file: the open log.
    ///   - pageSize: the size of the database's pages in bytes.
    /// - Throws: errors of reading.
    init?(_ file: BaseFile, pageSize: Int) throws(SealedFileError) {
        (self.file, self.pageSize) = (file, pageSize)
        let (header, size) = try SealedFileError.mapping { () throws(VFSFailure) in
            (try file.bytes(WALHeader.byteCount, at: 0).get(), try file.size().get())
        }
        guard header.count == WALHeader.byteCount, header.bigEndian32(at: 0) & ~1 == 0x377F_0682,
            header.bigEndian32(at: 4) == 3_007_000, Int(header.bigEndian32(at: 8)) == pageSize
        else { return nil }
        let isBigEndian = header[3] & 1 == 1
        var sums = WALChecksum.sums(header[..<24], from: (0, 0), bigEndian: isBigEndian)
        guard sums == (header.bigEndian32(at: 24), header.bigEndian32(at: 28)) else { return nil }
        let frameByteCount = WALHeader.frameHeaderByteCount + pageSize
        var offset = Int64(WALHeader.byteCount)
        var pending: [UInt32: Int64] = [:]
        while offset + Int64(frameByteCount) <= size {
            let place = offset
            let frame = try SealedFileError.mapping { () throws(VFSFailure) in
                try file.bytes(frameByteCount, at: place).get()
            }
            guard frame.count == frameByteCount else { break }
            let number = frame.bigEndian32(at: 0)
            guard number > 0, frame[8..<16] == header[16..<24] else { break }
            sums = WALChecksum.sums(frame[..<8], from: sums, bigEndian: isBigEndian)
            sums = WALChecksum.sums(frame[WALHeader.frameHeaderByteCount...], from: sums, bigEndian: isBigEndian)
            guard sums == (frame.bigEndian32(at: 16), frame.bigEndian32(at: 20)) else { break }
            pending[number] = offset + Int64(WALHeader.frameHeaderByteCount)
            offset += Int64(frameByteCount)
            let count = frame.bigEndian32(at: 4)
            guard count > 0 else { continue }
            places.merge(pending) { $1 }
            pending = [:]
            pageCount = count
        }
        guard pageCount > 0 else { return nil }
    }

    /// Returns the number of pages of a database whose file has `stored` pages.
    ///
    /// Neither the number in a commit nor those of the frames are authenticated, and a log of two frames could ask for 2^32
    /// pages. Pages that are neither in the file nor in the log, which a program may never have written, are believed up to
    /// the number of the others.
    func pageCount(inFile stored: UInt32) -> UInt32 {
        let present = UInt64(stored) + UInt64(places.keys.count { $0 > stored })
        return min(pageCount, max(stored, places.keys.max() ?? 0), UInt32(clamping: 2 * present))
    }

    /// Reads the encrypted content of a page into a buffer; returns nil if the log doesn't have the page, otherwise a
    /// result code of SQLite.
    func read(_ number: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> CInt? {
        guard let place = places[number], let start = buffer.baseAddress else { return nil }
        return unsafe file.read(into: start, pageSize, at: place)
    }
}
