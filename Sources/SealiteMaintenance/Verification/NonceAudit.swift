import CSQLite
import SealiteCrypto
import SealiteFile

/// Looks for a nonce that was used twice, over all pages, WAL frames and journal units, whatever they hold now.
///
/// The nonces of a large file don't fit into memory: each run over the files takes up only those of one share, sorts them and
/// compares neighbours. A gigabyte of 4096-byte pages is one share.
struct NonceAudit {
    /// The number of nonces that are held at a time: 32 bytes each.
    static let shareLimit = 1 << 19

    private let sources: [NonceSourceFile]
    private(set) var summary = NonceSummary()
    private static let namedLimit = 100

    init(_ sources: [NonceSourceFile]) { self.sources = sources }

    /// One nonce, and where it was found.
    private struct Entry {
        var words: (UInt64, UInt64, UInt64)
        /// The source's index and the place in it.
        var place: UInt64

        /// Returns the share of the nonce. Multiplied, since a counter and a clock differ in few bits.
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
            for (index, source) in sources.enumerated() {
                try source.forEach { place, trailer in
                    let entry = Entry(words: trailer.nonce, place: UInt64(index) << 56 | UInt64(place))
                    if share == 0 { count(source.kind, epoch: trailer.epoch) }
                    if entry.share(of: shareCount) == share { entries.append(entry) }
                    if place % 4096 == 0 { progress(share * places + place, shareCount * places) }
                }
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

/// A file whose sealed places carry nonces at regular distances.
struct NonceSourceFile {
    enum Kind {
        case pages, frames, units
    }

    /// The trailer that stands beside a sealed text.
    struct Trailer {
        var nonce: (UInt64, UInt64, UInt64)
        var epoch: UInt32
    }

    let kind: Kind
    let handle: BaseHandle
    /// The offset of place 0's trailer, and the distance to the next.
    private let start: Int64
    private let stride: Int64
    /// The number of places that the file has room for.
    let count: Int
    /// The number of those that can hold anything: a hole of a hundred gigabytes holds no nonces.
    let writtenLimit: Int

    /// `allocated` is how many bytes of the file its file system keeps.
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

    /// Every place that was ever written, by its number from 0.
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
