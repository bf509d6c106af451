import SealiteCrypto
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
