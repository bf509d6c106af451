internal import SealiteJSON
internal import SealiteRevisions

/// The bodies of earlier revisions of one document that are kept as the bases of deltas, newest first; see
/// Documentation/DocumentFormat.md §4.4.
///
/// A base is stored as the delta that leads to it from the newer body, that of the base before it or of the document.
/// Therefore only the first base has to be written anew when the document changes, and none if the replaced body becomes
/// a base itself. A body of which most has changed isn't kept: a delta from it would hardly be smaller than the document.
struct DeltaBases: Equatable {
    /// An earlier revision and its body.
    struct Base: Equatable {
        let id: RevisionID
        /// A Boolean value that says whether a peer was served the revision. Otherwise a remote is known to have it.
        let isServed: Bool
        /// The size of the body in bytes of JSONB.
        let byteCount: Int
        /// The delta to the body from the newer body.
        let delta: [UInt8]
    }

    /// The revision that a change replaces, if it is to be kept.
    struct Replaced {
        let id: RevisionID
        let isServed: Bool
    }

    /// The greatest number of bases of a document.
    static let maximumCount = 4

    private(set) var list: [Base] = []
    /// The checksum of the document's body, from which the first delta leads to a base: from another body it would lead to
    /// one that no peer has.
    private var checksum: UInt64 = 0

    var isEmpty: Bool { list.isEmpty }

    /// Returns the body of the base of a revision, in JSONB, with the document's current body; nil if there is no such
    /// base, or it is damaged.
    func body(of id: RevisionID, current: [UInt8]) -> [UInt8]? {
        list.firstIndex { $0.id == id }.flatMap { body(at: $0, current: current) }
    }

    /// Returns the bodies of all bases, up to the first damaged one.
    func bodies(current: [UInt8]) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        guard isOf(current) else { return [] }
        for base in list {
            guard let body = base.body(newer: bodies.last ?? current) else { break }
            bodies.append(body)
        }
        return bodies
    }

    private func isOf(_ current: [UInt8]) -> Bool { list.isEmpty || checksum == Self.checksum(of: current) }

    private func body(at index: Int, current: [UInt8]) -> [UInt8]? {
        guard isOf(current) else { return nil }
        var newer = current
        for base in list[...index] {
            guard let body = base.body(newer: newer) else { return nil }
            newer = body
        }
        return newer
    }

    /// Changes the bases to those of a document whose body was replaced.
    ///
    /// - Parameters:
    ///   - old: the replaced body in JSONB.
    ///   - new: the new body in JSONB.
    ///   - replaced: the replaced revision, if it becomes a base.
    ///   - isKept: whether a base is still needed; the newest one that peers were served is needed in any case.
    mutating func replace(_ old: [UInt8], by new: [UInt8], keeping replaced: Replaced?, where isKept: (Base) -> Bool) {
        var kept: [Base] = []
        // The newer body in the new list; nil if it is the same as in the old list, so that the base stays as it is.
        var newer: [UInt8]? = new
        if let replaced, let base = Base(old, replaced.id, isServed: replaced.isServed, newer: new) {
            kept.append(base)
            newer = nil
        }
        lazy var isListOf = isOf(old)
        for (index, base) in list.enumerated() {
            let isNewest = base.isServed && !kept.contains(where: \.isServed)
            guard kept.count < Self.maximumCount, base.id != replaced?.id, isNewest || isKept(base) else {
                // The next base has been written from this one.
                guard newer == nil else { continue }
                newer = index == 0 ? old : body(at: index - 1, current: old)
                if newer == nil { break }
                continue
            }
            // Bases of another body are worthless. Mostly none of them is kept, and the checksum isn't needed.
            guard isListOf else { break }
            if let newer {
                guard let body = body(at: index, current: old),
                    let base = Base(body, base.id, isServed: base.isServed, newer: newer)
                else { break }
                kept.append(base)
            } else {
                kept.append(base)
            }
            newer = nil
        }
        list = kept
        checksum = kept.isEmpty ? 0 : Self.checksum(of: new)
        assert(list.count <= Self.maximumCount)
    }

    /// Removes the oldest bases that aren't needed; `isKept` as for ``replace(_:by:keeping:where:)``.
    mutating func dropOldest(unless isKept: (Base) -> Bool) {
        while let last = list.last, !isKept(last), !last.isServed || list.dropLast().contains(where: \.isServed) {
            list.removeLast()
        }
        if list.isEmpty { checksum = 0 }
    }

    /// Returns the checksum of a body, as Documentation/DocumentFormat.md §4.4 has it.
    static func checksum(of body: [UInt8]) -> UInt64 {
        unsafe body.withUnsafeBytes { bytes in
            let count = UInt64(bytes.count)
            var (first, second, third, fourth) = (count, count &+ 1, count &+ 2, count &+ 3)
            var offset = 0
            while offset + 32 <= bytes.count {
                first = mixed(first, unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                second = mixed(second, unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
                third = mixed(third, unsafe bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
                fourth = mixed(fourth, unsafe bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
                offset += 32
            }
            if offset < bytes.count {
                var last: [UInt64] = [0, 0, 0, 0]
                for index in 0..<(bytes.count - offset) {
                    last[index / 8] |= UInt64(unsafe bytes[offset + index]) << UInt64(index % 8 * 8)
                }
                (first, second) = (mixed(first, last[0].littleEndian), mixed(second, last[1].littleEndian))
                (third, fourth) = (mixed(third, last[2].littleEndian), mixed(fourth, last[3].littleEndian))
            }
            return first ^ turned(second, 16) ^ turned(third, 32) ^ turned(fourth, 48)
        }
    }

    @inline(__always)
    private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        turned(lane ^ UInt64(littleEndian: word), 29) &* 0x9E37_79B9_7F4A_7C15
    }

    @inline(__always)
    private static func turned(_ lane: UInt64, _ bits: UInt64) -> UInt64 { lane &<< bits | lane &>> (64 &- bits) }
}

extension DeltaBases.Base {
    /// Creates the base for a body in JSONB; nil if the delta from the newer body would be larger than half of it.
    init?(_ body: [UInt8], _ id: RevisionID, isServed: Bool, newer: [UInt8]) {
        let made = try? JSONDelta.make(from: newer.span, to: body.span, limit: body.count / 2)
        guard let delta = made else { return nil }
        self.init(id: id, isServed: isServed, byteCount: body.count, delta: delta)
    }

    /// Returns the body in JSONB; nil if the base is damaged, or wasn't written from this newer body.
    func body(newer: [UInt8]) -> [UInt8]? {
        // The result is at most as large as the newer body and the delta together.
        let body = try? JSONDelta.apply(delta, to: newer.span, limit: .max)
        return body?.count == byteCount ? body : nil
    }
}

// The stored form.
extension DeltaBases {
    /// The first byte of a tree with bases.
    static let form: UInt8 = 4
    private static let isServed: UInt8 = 1
    /// The greatest size in bytes of a body that is read.
    private static let byteLimit = 1 << 31

    /// Returns the value of the column `tree` for a tree, whose value without bases is `rest`.
    func stored(before rest: [UInt8]?) -> [UInt8]? {
        guard !isEmpty else { return rest }
        let rest = rest ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count + 16 + list.reduce(0) { $0 + $1.delta.count + 40 })
        bytes.append(Self.form)
        Varint.append(UInt64(rest.count), to: &bytes)
        bytes.append(contentsOf: rest)
        bytes.append(contentsOf: checksum.bigEndianBytes)
        for base in list {
            bytes.append(base.isServed ? Self.isServed : 0)
            RevisionTree.append(base.id, to: &bytes)
            Varint.append(UInt64(base.byteCount), to: &bytes)
            Varint.append(UInt64(base.delta.count), to: &bytes)
            bytes.append(contentsOf: base.delta)
        }
        return bytes
    }

    /// Reads the value of a column `tree`.
    ///
    /// - Returns: the bases, and the value without them; nil if the bytes are damaged.
    static func split(_ bytes: [UInt8]?) -> (bases: DeltaBases, rest: [UInt8]?)? {
        guard let bytes, bytes.first == form else { return (DeltaBases(), bytes) }
        let span = bytes.span
        var position = 1
        func number() -> Int? { Varint.read(span, &position, limit: span.count).flatMap { Int(exactly: $0) } }
        guard let length = number(), length <= span.count - position else { return nil }
        let rest = length == 0 ? nil : Array(bytes[position..<(position + length)])
        guard rest?.first != form else { return nil }
        position += length
        guard span.count - position > 8 else { return nil }
        var bases = DeltaBases()
        for _ in 0..<8 {
            bases.checksum = bases.checksum << 8 | UInt64(span[position])
            position += 1
        }
        while position < span.count {
            let flags = span[position]
            position += 1
            guard flags & ~isServed == 0, bases.list.count < maximumCount,
                let id = RevisionTree.readID(span, &position), let byteCount = number(), byteCount < byteLimit,
                let length = number(), length <= span.count - position
            else { return nil }
            let delta = Array(bytes[position..<(position + length)])
            position += length
            bases.list.append(Base(id: id, isServed: flags & isServed != 0, byteCount: byteCount, delta: delta))
        }
        return bases.isEmpty ? nil : (bases, rest)
    }
}

extension UInt64 {
    /// Creates a number from its eight bytes; nil for another number of bytes.
    init?(bigEndianBytes bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bigEndianBytes: [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
