internal import SealiteBase
package import SealiteJSON

/// The id of a revision. In a revision tree, it is `generation-digest`: the number of the revision on its branch, and a
/// digest that distinguishes revisions of one generation. In a version vector, it is `time@source`: the current
/// version.
///
/// Ids of trees are ordered by generation, then by digest; versions follow them, by time, then by source. Two ids are
/// equal if their texts have the same bytes.
public struct RevisionID: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The part of an id that distinguishes revisions of one generation: up to 20 bytes that are written in lowercase
    /// hex, or any other text. In an id that is a version, the version takes its place.
    package enum Digest: Sendable, Hashable {
        /// A digest of `count` bytes: the first eight, the next eight and the last four as big-endian numbers, padded
        /// with zeros at the end.
        case bytes(UInt64, UInt64, UInt32, count: UInt8)
        case text(ExactText)
        /// A version of a version vector, in place of a digest. The id's generation is then 0.
        case version(SourceVersion)
    }

    /// The number of the revision on its branch, from 1; 0 if the id is a version of a version vector.
    public let generation: UInt32
    package let digest: Digest

    /// Creates an id from its parts.
    package init(generation: UInt32, digest: Digest) {
        self.generation = generation
        self.digest = digest
    }

    /// Creates an id with a digest of at most 20 bytes; further bytes are ignored.
    package init(generation: UInt32, digestBytes: borrowing Span<UInt8>) {
        let count = min(digestBytes.count, 20)
        func word(_ start: Int, _ width: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<(start + width) { word = word << 8 | (index < count ? UInt64(digestBytes[index]) : 0) }
            return word
        }
        self.generation = generation
        digest = .bytes(word(0, 8), word(8, 8), UInt32(word(16, 4)), count: UInt8(count))
    }

    /// Creates the id that is a version of a version vector.
    package init(_ version: SourceVersion) { self.init(generation: 0, digest: .version(version)) }

    /// The version of a version vector that the id is; nil for a revision of a tree.
    package var version: SourceVersion? {
        if case .version(let version) = digest { version } else { nil }
    }

    /// Creates an id from its text; nil if the text is neither `generation-digest`, of at most 255 bytes and with a
    /// generation from 1 to 2^32 - 2, nor `time@source`.
    public init?(_ text: String) {
        if let id = RevisionID(ofTree: text) {
            self = id
        } else if let version = try? SourceVersion(text) {
            self.init(version)
        } else {
            return nil
        }
    }

    /// Creates an id of a tree from its text; nil unless the text is a generation from 1 to 2^32 - 2 without leading
    /// zeros, a hyphen and a digest, of at most 255 bytes in all.
    package init?(ofTree text: String) {
        let utf8 = text.utf8.span
        guard utf8.count <= 255 else { return nil }
        var number: UInt64 = 0
        var position = 0
        while position < utf8.count, utf8[position] != 0x2D {
            let digit = utf8[position] &- 0x30
            guard digit < 10, position < 10 else { return nil }
            number = number * 10 + UInt64(digit)
            position += 1
        }
        guard position > 0, position + 1 < utf8.count, utf8[0] != 0x30, number < UInt32.max else { return nil }
        let start = position + 1
        generation = UInt32(number)
        digest =
            Self.lowercaseHex(utf8, from: start)
            ?? .text(ExactText(String(decoding: text.utf8.dropFirst(start), as: UTF8.self)))
    }

    /// Returns the digest of at most 20 bytes that the text from `start` on represents in lowercase hex; nil if it is
    /// another text.
    private static func lowercaseHex(_ text: borrowing Span<UInt8>, from start: Int) -> Digest? {
        let count = (text.count - start) / 2
        guard start + count * 2 == text.count, count <= 20 else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        for index in 0..<20 {
            var byte: UInt64 = 0
            if index < count {
                guard let high = Hexadecimal.lowercaseValue(text[start + index * 2]),
                    let low = Hexadecimal.lowercaseValue(text[start + index * 2 + 1])
                else { return nil }
                byte = UInt64(high << 4 | low)
            }
            switch index {
            case 0..<8: words.0 = words.0 << 8 | byte
            case 8..<16: words.1 = words.1 << 8 | byte
            default: words.2 = words.2 << 8 | byte
            }
        }
        return .bytes(words.0, words.1, UInt32(words.2), count: UInt8(count))
    }

    /// Calls `body` with each of the `count` bytes of a digest, whose first eight bytes, next eight and last four are
    /// the big-endian numbers `a`, `b` and `c`.
    @inline(__always)
    private static func forEachByte(
        _ a: UInt64, _ b: UInt64, _ c: UInt32, _ count: UInt8, _ body: (UInt8) -> Void
    ) {
        for index in 0..<Int(count) {
            let byte =
                index < 8
                ? a >> UInt64(56 - index * 8)
                : index < 16 ? b >> UInt64(56 - (index - 8) * 8) : UInt64(c) >> UInt64(24 - (index - 16) * 8)
            body(UInt8(truncatingIfNeeded: byte))
        }
    }

    /// Appends the id's text.
    package func appendText(to text: inout GrowingBytes) {
        if case .version(let version) = digest {
            version.appendText(to: &text)
            return
        }
        if generation < 10 {
            text.append(0x30 + UInt8(generation))
        } else {
            for digit in String(generation).utf8 { text.append(digit) }
        }
        text.append(0x2D)
        switch digest {
        case .bytes(let a, let b, let c, let count):
            let count = Int(count)
            text.appendHexadecimal(a, byteCount: min(count, 8))
            text.appendHexadecimal(b, byteCount: min(count - 8, 8))
            text.appendHexadecimal(UInt64(c) << 32, byteCount: min(count - 16, 4))
        case .text(let rest):
            for byte in rest.text.utf8 { text.append(byte) }
        case .version: break
        }
    }

    /// The number of bytes of the id's text in UTF-8.
    package var textByteCount: Int {
        var digits = 1
        var rest = generation / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        switch digest {
        case .bytes(_, _, _, let count): return digits + 1 + 2 * Int(count)
        case .text(let text): return digits + 1 + text.text.utf8.count
        case .version(let version): return version.textByteCount
        }
    }

    /// The id's text.
    public var description: String {
        var text = GrowingBytes(capacity: 64)
        appendText(to: &text)
        return text.string
    }

    /// Returns whether one id precedes another. Ids of trees precede versions. Ids of trees are ordered by generation,
    /// then by the bytes of the text; versions are ordered by time, then by source.
    public static func < (left: RevisionID, right: RevisionID) -> Bool {
        if let version = right.version { return left.version.map { $0 < version } ?? true }
        guard left.version == nil else { return false }
        guard left.generation == right.generation else { return left.generation < right.generation }
        return Array(left.description.utf8).lexicographicallyPrecedes(Array(right.description.utf8))
    }

    // MARK: - Stored form (Documentation/DocumentFormat.md §4.1)

    /// Appends the id in the binary form in which the database stores it.
    @inline(__always)
    package func appendStored(to bytes: inout [UInt8]) {
        switch digest {
        case .bytes(let a, let b, let c, let count):
            Varint.append(UInt64(generation) << 1, to: &bytes)
            Self.forEachByte(a, b, c, count) { bytes.append($0) }
        case .text(let text):
            Varint.append(UInt64(generation) << 1 | 1, to: &bytes)
            bytes.append(contentsOf: text.text.utf8)
        case .version(let version): version.appendStoredCurrent(to: &bytes)
        }
    }

    /// The id in the binary form in which the database stores it.
    package var stored: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendStored(to: &bytes)
        return bytes
    }

    /// Creates an id from the database's binary form in the bytes from `start` up to `end`; nil if they are damaged.
    package init?(stored bytes: borrowing Span<UInt8>, from start: Int, to end: Int) {
        if let version = SourceVersion(storedCurrent: bytes, from: start, to: end) {
            self.init(version)
            return
        }
        var position = start
        guard let head = Varint.read(bytes, &position, limit: end), position < end,
            let generation = UInt32(exactly: head >> 1), generation > 0, generation < UInt32.max
        else { return nil }
        if head & 1 == 0 {
            guard end - position <= 20 else { return nil }
            self.init(generation: generation, digestBytes: bytes.extracting(position..<end))
        } else {
            var text: [UInt8] = []
            for index in position..<end { text.append(bytes[index]) }
            // A repaired text would be another id, and longer than the space that a tree has for it.
            guard let text = String(validating: text, as: UTF8.self) else { return nil }
            self.init(generation: generation, digest: .text(ExactText(text)))
            guard textByteCount <= 255 else { return nil }
        }
    }

    /// Creates an id from the binary form in which the database stores it; nil if the bytes are damaged.
    package init?(stored bytes: [UInt8]) {
        self.init(stored: bytes.span, from: 0, to: bytes.count)
    }
}
