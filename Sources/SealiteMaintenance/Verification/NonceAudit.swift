import CSQLite
import SealiteFile

/// Searches for nonces that occur more than once among all pages, WAL frames and journal units, whether current or not.
///
/// The nonces of a large file don't fit into memory, so they are divided into shares by a hash of the nonce. Each pass
/// over the files loads one share, sorts it and compares neighbours. A gigabyte of 4096-byte pages needs one pass.
struct NonceAudit {
    /// The approximate number of nonces per share; each takes 32 bytes of memory.
    static let shareLimit = 1 << 19

    private let sources: [NonceSourceFile]
    private(set) var summary = NonceSummary()
    private static let namedLimit = 100

    init(_ sources: [NonceSourceFile]) { self.sources = sources }

    /// A nonce and its location.
    private struct Entry {
        var words: (UInt64, UInt64, UInt64)
        /// The index of the source in the upper 8 bits, and the number of the page, frame or unit, counted from 0,
        /// below.
        var place: UInt64

        /// Returns the number, below `count`, of the share that the nonce belongs to. The words are multiplied, because
        /// the counters and clocks in nonces differ in few bits.
        func share(of count: Int) -> Int {
            let mixed = (words.0 ^ words.1 &* 0x9E37_79B9_7F4A_7C15 ^ words.2) &* 0xFF51_AFD7_ED55_8CCD
            return Int((mixed >> 32) % UInt64(count))
        }
    }

    mutating func run(shareLimit: Int = NonceAudit.shareLimit, progress: (Int, Int) -> Void) throws(VFSFailure) {
        let places = sources.reduce(0) { $0 + $1.count }
        let written = sources.reduce(0) { $0 + $1.writtenLimit }
        let shareCount = max(1, (written + shareLimit - 1) / shareLimit)
        for share in 0..<shareCount {
            var entries: [Entry] = []
            var before = share * places
            for (index, source) in sources.enumerated() {
                try source.forEach { place, trailer in
                    let entry = Entry(words: trailer.nonce, place: UInt64(index) << 56 | UInt64(place))
                    if share == 0 { count(source.kind, epoch: trailer.epoch) }
                    if entry.share(of: shareCount) == share { entries.append(entry) }
                    if place % 4096 == 0 { progress(before + place, shareCount * places) }
                }
                before += source.count
            }
            entries.sort { $0.words < $1.words }
            for (left, right) in zip(entries, entries.dropFirst()) where left.words == right.words {
                guard summary.repeated.count < Self.namedLimit else { break }
                summary.repeated.append(NonceRepetition(first: name(left.place), second: name(right.place)))
            }
        }
    }

    private mutating func count(_ kind: NonceSourceFile.Kind, epoch: UInt32) {
        summary.count += 1
        switch kind {
        case .pages:
            summary.pageCount += 1
            summary.pagesByEpoch[epoch, default: 0] += 1
        case .frames: summary.frameCount += 1
        case .units: summary.unitCount += 1
        }
    }

    private func name(_ place: UInt64) -> String {
        let (source, number) = (sources[Int(place >> 56)], place & (1 << 56 - 1))
        switch source.kind {
        case .pages: return "page \(number + 1)"
        case .frames: return "WAL frame \(number)"
        case .units: return "journal unit \(number)"
        }
    }
}

/// The counts of the nonces of all pages, WAL frames and journal units, and the positions of nonces that occur more
/// than once.
public struct NonceSummary: Sendable, Codable, Equatable {
    /// The number of nonces in the files.
    public internal(set) var count = 0
    /// The number of nonces of pages.
    public internal(set) var pageCount = 0
    /// The number of nonces of WAL frames.
    public internal(set) var frameCount = 0
    /// The number of nonces of journal units.
    public internal(set) var unitCount = 0
    /// The pairs of positions with equal nonces, at most 100.
    public internal(set) var repeated: [NonceRepetition] = []
    /// The number of pages sealed under each epoch, by the number of the epoch.
    public internal(set) var pagesByEpoch: [UInt32: Int] = [:]
}

/// Two positions in the database's files with the same nonce.
public struct NonceRepetition: Sendable, Codable, Equatable {
    /// The first position, such as "page 7" or "WAL frame 12".
    public let first: String
    /// The second position, in the same form.
    public let second: String
}

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
