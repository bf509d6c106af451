import SealiteCrypto

/// The sealed rollback journal's layout. `Documentation/FORMAT.md` §8.
package enum JournalLayout {
    package static let preambleByteCount = 32
    package static let unitByteCount = 4096
    package static let payloadByteCount = 4000
    package static let textByteCount = 4048
    static let unitHeaderByteCount = 48
    static let idByteCount = 16
    /// The journal's magic number. Its first byte is 0, so that SQLite without the encrypting VFS takes the journal for
    /// a finished one.
    static let magic: [UInt8] = [0] + Array("SealJn1".utf8)

    package static func offset(ofUnit index: Int) -> Int64 {
        assert(index >= 0, "units are counted from 0")
        return Int64(unitByteCount) * Int64(1 + index)
    }

    /// Returns the number of whole units, the encrypted 4096-byte blocks of a sealed journal, in a file of this size.
    /// The first 4096 bytes hold the preamble and no unit.
    package static func unitCount(fileByteCount: Int64) -> Int {
        max(0, Int(fileByteCount / Int64(unitByteCount)) - 1)
    }
}

/// The unencrypted 32 bytes at the start of a sealed rollback journal.
package struct JournalPreamble: Equatable {
    package var id: [UInt8]
    package var serial: UInt32

    package init(id: [UInt8], serial: UInt32) {
        self.id = id
        self.serial = serial
    }

    /// The result of reading the first 32 bytes of a journal file.
    package enum Reading: Equatable {
        /// Zeros, or an empty file: no journal.
        case none
        case whole(JournalPreamble)
        /// Any other content: torn, or not a sealed journal.
        case broken
    }

    package static func read(_ bytes: [UInt8]) -> Reading {
        if bytes.allSatisfy({ $0 == 0 }) { return .none }
        guard bytes.count == JournalLayout.preambleByteCount, bytes.starts(with: JournalLayout.magic) else {
            return .broken
        }
        let preamble = JournalPreamble(id: bytes.slice(8, 16), serial: bytes.readUInt32(at: 24))
        return (try? preamble.encoded()) == bytes ? .whole(preamble) : .broken
    }

    func encoded() throws(CryptoError) -> [UInt8] {
        assert(id.count == JournalLayout.idByteCount)
        let front = JournalLayout.magic + id + [UInt8].littleEndian(serial)
        return front + Array(try SHA256.digest(of: front)[0..<4])
    }
}

/// The first 48 bytes of the plaintext of a journal unit, an encrypted block of a sealed rollback journal. The payload
/// follows them.
package struct JournalUnitHeader: Equatable {
    enum Kind: UInt32 {
        case data = 0
        /// A unit without payload that records how many units are durable.
        case mark = 1
        /// A unit that truncates the logical journal, the one that SQLite sees, to `logicalOffset` bytes.
        case cut = 2
    }

    package var id: [UInt8]
    var logicalOffset: Int64
    var payloadByteCount: Int
    package var synced: Int
    package var serial: UInt32
    var kind: Kind

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: JournalLayout.unitHeaderByteCount)
        unsafe bytes.withUnsafeMutableBytes { unsafe write(to: $0) }
        return bytes
    }

    /// Writes the header into `bytes`, which must be zeros. Allocates no array, because a transaction writes a header
    /// for every page that it changes.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= JournalLayout.unitHeaderByteCount, "the header is stored by address")
        assert(id.count == JournalLayout.idByteCount, "another length would overwrite the next field")
        assert(
            payloadByteCount <= JournalLayout.payloadByteCount && logicalOffset >= 0, "a reader takes no other values")
        assert(kind == .data || payloadByteCount == 0, "a mark and a cut have no payload")
        unsafe bytes.copyBytes(from: id)
        unsafe bytes.storeBytes(of: logicalOffset.littleEndian, toByteOffset: 16, as: Int64.self)
        unsafe bytes.storeBytes(of: UInt32(payloadByteCount).littleEndian, toByteOffset: 24, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(synced).littleEndian, toByteOffset: 28, as: UInt32.self)
        unsafe bytes.storeBytes(of: serial.littleEndian, toByteOffset: 32, as: UInt32.self)
        unsafe bytes.storeBytes(of: kind.rawValue.littleEndian, toByteOffset: 36, as: UInt32.self)
    }

    /// Parses the header of an authenticated unit; nil if a field has a value that no writer produces.
    static func parse(_ bytes: [UInt8]) -> JournalUnitHeader? {
        guard bytes.count == JournalLayout.unitHeaderByteCount, let kind = Kind(rawValue: bytes.readUInt32(at: 36)),
            bytes.readUInt64(at: 40) == 0, bytes.readUInt64(at: 16) < 1 << 62,
            bytes.readUInt32(at: 24) <= UInt32(JournalLayout.payloadByteCount)
        else { return nil }
        return JournalUnitHeader(
            id: bytes.slice(0, 16), logicalOffset: Int64(bytes.readUInt64(at: 16)),
            payloadByteCount: Int(bytes.readUInt32(at: 24)), synced: Int(bytes.readUInt32(at: 28)),
            serial: bytes.readUInt32(at: 32), kind: kind)
    }
}

/// Maps the bytes of a rollback journal as SQLite sees it, the logical journal, to the units (encrypted blocks) of the
/// sealed journal file. Where two units contain the same logical byte, the later one counts.
package struct JournalMap {
    /// A run of logical bytes in one unit, or in consecutive full units.
    private struct Segment {
        var start: Int64
        var end: Int64
        /// The index of the unit that holds the byte at `start`.
        var unit: Int
        /// The offset of that byte in the unit's payload.
        var payloadOffset: Int
    }

    /// The segments, sorted by start and without overlap.
    private var segments: [Segment] = []
    package private(set) var byteCount: Int64 = 0

    /// Records which bytes of the logical journal a journal unit contains or cuts off, according to the unit's header.
    /// Units must be added in their order in the file.
    package mutating func add(unit: Int, _ header: JournalUnitHeader) {
        assert(unit >= 0 && header.logicalOffset >= 0)
        switch header.kind {
        case .mark: return
        case .cut: cut(to: header.logicalOffset)
        case .data: place(unit, from: header.logicalOffset, byteCount: header.payloadByteCount)
        }
    }

    private mutating func place(_ unit: Int, from start: Int64, byteCount count: Int) {
        guard count > 0 else { return }
        assert(count <= JournalLayout.payloadByteCount, "a payload fits into its unit")
        let end = start + Int64(count)
        byteCount = max(byteCount, end)
        if let last = segments.last, last.end == start, continues(last, with: unit) {
            segments[segments.count - 1].end = end
            return
        }
        if let last = segments.last, last.end > start { carve(from: start, to: end) }
        let index = firstSegment(endingAfter: start)
        assert(index == 0 || segments[index - 1].end <= start, "segments don't overlap")
        assert(index == segments.count || segments[index].start >= end, "segments don't overlap")
        segments.insert(Segment(start: start, end: end, unit: unit, payloadOffset: 0), at: index)
    }

    private func continues(_ segment: Segment, with unit: Int) -> Bool {
        let span = Int64(segment.payloadOffset) + segment.end - segment.start
        let full = Int64(JournalLayout.payloadByteCount)
        return span % full == 0 && segment.unit + Int(span / full) == unit
    }

    /// Removes a range of logical bytes from the existing segments.
    private mutating func carve(from start: Int64, to end: Int64) {
        var index = firstSegment(endingAfter: start)
        while index < segments.count, segments[index].start < end {
            let old = segments[index]
            var rest: [Segment] = []
            if old.start < start {
                var front = old
                front.end = start
                rest.append(front)
            }
            if old.end > end { rest.append(shifted(old, to: end)) }
            segments.replaceSubrange(index...index, with: rest)
            index += rest.count
        }
    }

    private func shifted(_ segment: Segment, to start: Int64) -> Segment {
        assert(start >= segment.start && start < segment.end, "the rest of a segment isn't empty")
        let position = Int64(segment.payloadOffset) + start - segment.start
        let full = Int64(JournalLayout.payloadByteCount)
        return Segment(
            start: start, end: segment.end, unit: segment.unit + Int(position / full),
            payloadOffset: Int(position % full))
    }

    private mutating func cut(to size: Int64) {
        if byteCount > size { carve(from: size, to: byteCount) }
        assert(segments.last.map { $0.end <= size } ?? true, "no segment goes beyond the cut")
        byteCount = size
    }

    private func firstSegment(endingAfter offset: Int64) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns whether units contain all bytes of a range, which begins at a logical offset.
    package func contains(_ offset: Int64, byteCount count: Int) -> Bool {
        var done = 0
        while done < count {
            let found = find(offset + Int64(done))
            guard found.unit != nil, found.byteCount > 0 else { return false }
            done += found.byteCount
        }
        return true
    }

    /// Returns the unit that contains a logical byte, the byte's offset in the unit's payload, and the number of bytes
    /// from there on that are contiguous in the payload. For a byte that was never written, `unit` is nil and
    /// `byteCount` is the distance to the next written byte or to the end of the journal.
    func find(_ offset: Int64) -> (unit: Int?, payloadOffset: Int, byteCount: Int) {
        let index = firstSegment(endingAfter: offset)
        guard index < segments.count else { return (nil, 0, Int(max(0, byteCount - offset))) }
        let segment = segments[index]
        guard segment.start <= offset else { return (nil, 0, Int(segment.start - offset)) }
        let at = shifted(segment, to: offset)
        let within = min(segment.end - offset, Int64(JournalLayout.payloadByteCount - at.payloadOffset))
        assert(within > 0, "who reads goes on")
        return (at.unit, at.payloadOffset, Int(within))
    }
}
