import CSQLite
import SealiteCrypto
import SealiteFile

/// A database file, WAL or journal, with the trailers of its pages, frames or units, which contain the nonces.
struct NonceSourceFile {
    enum Kind {
        case pages, frames, units
    }

    /// The fields of a trailer that the audit reads.
    struct Trailer {
        var nonce: (UInt64, UInt64, UInt64)
        var epoch: UInt32
    }

    let kind: Kind
    let handle: BaseHandle
    /// The offset in the file of the first trailer.
    private let start: Int64
    /// The distance in bytes from one trailer to the next.
    private let stride: Int64
    /// The number of pages, frames or units that fit into the file.
    let count: Int
    /// The number of pages, frames or units that can contain data: a hole of a hundred gigabytes contains no nonces.
    let writtenLimit: Int

    /// Creates a source. `allocated` is the number of bytes that the file system allocates for the file.
    init(_ kind: Kind, _ handle: BaseHandle, pageSize: Int, allocated: Int64) throws(VFSFailure) {
        self.kind = kind
        self.handle = handle
        let first: Int64
        let byteCount: Int
        let trailer: Int
        switch kind {
        case .pages:
            (first, byteCount) = (Int64(HeaderLayout.regionByteCount), pageSize)
            trailer = pageSize - PageTrailer.byteCount
        case .frames:
            (first, byteCount) = (Int64(WALHeader.byteCount), pageSize + WALHeader.frameHeaderByteCount)
            trailer = byteCount - PageTrailer.byteCount
        case .units:
            (first, byteCount) = (JournalLayout.offset(ofUnit: 0), JournalLayout.unitByteCount)
            trailer = JournalLayout.textByteCount
        }
        start = first + Int64(trailer)
        stride = Int64(byteCount)
        count = Int(max(0, try handle.file.size().get() - first) / Int64(byteCount))
        writtenLimit = min(count, Int(allocated / Int64(byteCount)) + 1)
    }

    /// Calls `body` for every page, frame or unit that was ever written, with its number from 0.
    func forEach(_ body: (Int, Trailer) -> Void) throws(VFSFailure) {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
        for place in 0..<count {
            let code = unsafe withUnsafeMutableBytes(of: &words) { buffer in
                guard let base = buffer.baseAddress else { return SQLITE_IOERR }
                return unsafe handle.file.read(into: base, PageTrailer.byteCount, at: start + Int64(place) * stride)
            }
            if code == SQLITE_IOERR_SHORT_READ { return }
            try check(code)
            guard words != (0, 0, 0, 0, 0, 0) else { continue }
            body(
                place,
                Trailer(
                    nonce: (words.0, words.1, words.2), epoch: UInt32(truncatingIfNeeded: UInt64(littleEndian: words.5))
                ))
        }
    }
}
