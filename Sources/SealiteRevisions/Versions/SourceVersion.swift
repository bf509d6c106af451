internal import SealiteCrypto
internal import SealiteJSON

/// A version of a document: its source, which is the database that wrote it, and the time of writing, as text
/// `time@source`.
package struct SourceVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of bytes of a version in the binary form in which the database stores it.
    package static let storedByteCount = 8 + SourceID.byteCount

    package let time: HybridTime
    package let source: SourceID

    package init(time: HybridTime, source: SourceID) { (self.time, self.source) = (time, source) }

    /// Parses the text `time@source` of a version.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` denotes; nil if `*` is invalid.
    /// - Throws: `malformed`.
    package init(_ text: String, me: SourceID? = nil) throws(VersionError) {
        let bytes = text.utf8.span
        guard let at = (0..<min(bytes.count, 17)).first(where: { bytes[$0] == UInt8(ascii: "@") }),
            let time = HybridTime(digits: bytes, 0, at)
        else { throw .malformed }
        let isMe = bytes.count == at + 2 && bytes[at + 1] == UInt8(ascii: "*")
        guard let source = isMe ? me : SourceID(characters: bytes, from: at + 1) else { throw .malformed }
        self.init(time: time, source: source)
    }

    /// Returns the version's text, in which `*` stands for the source if it is `me`.
    package func text(me: SourceID? = nil) -> String {
        var text = GrowingBytes(capacity: textByteCount)
        appendText(to: &text, me: me)
        return text.string
    }

    /// Appends the version's text, in which `*` stands for the source if it is `me`.
    func appendText(to text: inout GrowingBytes, me: SourceID? = nil) {
        time.appendText(to: &text)
        text.append(UInt8(ascii: "@"))
        if source == me { text.append(UInt8(ascii: "*")) } else { source.appendText(to: &text) }
    }

    /// The version's text with the source in Base64.
    package var description: String { text() }

    /// The number of bytes of the version's text with the source in Base64.
    package var textByteCount: Int { time.digitCount + 1 + SourceID.characterCount }

    /// Returns whether a version precedes another in lists: by time, then by source. The order says nothing about
    /// descent.
    package static func < (left: SourceVersion, right: SourceVersion) -> Bool {
        left.time == right.time ? left.source < right.source : left.time < right.time
    }

    // MARK: - Stored form (Documentation/DocumentFormat.md §4.3)

    /// Reads a version in the database's binary form from `start` on; nil if too few bytes remain, or if the time or
    /// the source is zero.
    package init?(stored bytes: borrowing Span<UInt8>, from start: Int) {
        guard start >= 0, bytes.count - start >= Self.storedByteCount else { return nil }
        var word: UInt64 = 0
        for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
        guard let time = HybridTime(rawValue: word), let source = SourceID(bytes, from: start + 8) else { return nil }
        self.init(time: time, source: source)
    }

    /// Appends the version in the database's binary form: the time in 8 bytes, big-endian, and the source in 16.
    package func appendStored(to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: time.rawValue >> shift))
        }
        source.append(to: &bytes)
    }
}

/// The id of a database that writes versions of documents: 128 bits that aren't all zero, written as 22 characters of
/// Base64 without padding.
package struct SourceID: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The number of bytes of a source.
    package static let byteCount = 16
    /// The number of characters of a source's text.
    package static let characterCount = 22

    private let high, low: UInt64

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads a source from its 16 bytes from `start` on; nil if fewer remain or all are zero.
    package init?(_ bytes: borrowing Span<UInt8>, from start: Int) {
        guard start >= 0, bytes.count - start >= Self.byteCount else { return nil }
        func word(_ first: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in first..<(first + 8) { word = word << 8 | UInt64(bytes[index]) }
            return word
        }
        self.init(high: word(start), low: word(start + 8))
        guard high != 0 || low != 0 else { return nil }
    }

    /// Creates a source from its 16 bytes; nil if the number differs or all are zero.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(bytes.span, from: 0)
    }

    /// Parses a source; nil unless the text is exactly its `description`.
    package init?(_ text: String) {
        self.init(characters: text.utf8.span, from: 0)
    }

    /// Parses the text that fills the bytes from `start` on; nil unless it is exactly the `description` of a source.
    ///
    /// Each announced version is parsed, so this doesn't create the arrays that `Base64.decode` needs.
    init?(characters: borrowing Span<UInt8>, from start: Int) {
        guard characters.count - start == Self.characterCount else { return nil }
        var bits: UInt128 = 0
        let last = characters.count - 1
        for index in start..<last {
            guard let value = Base64.value(characters[index]) else { return nil }
            bits = bits << 6 | UInt128(value)
        }
        // The last character has two bits of the source; its other four bits are padding.
        guard let value = Base64.value(characters[last]), value & 15 == 0 else { return nil }
        bits = bits << 2 | UInt128(value >> 4)
        guard bits != 0 else { return nil }
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    /// Generates a random source.
    package static func random() throws -> SourceID {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        while true {
            try unsafe bytes.withUnsafeMutableBytes { try unsafe SecureRandom.fill($0) }
            if let source = SourceID(bytes: bytes) { return source }
        }
    }

    /// The source `Revision+Tree+Encoding`, with which Sync Gateway refers to tree revisions in vectors.
    package static let revisionTrees = SourceID(high: 0x45EB_E2B2_2A27_F93A, low: 0xDE7B_E127_7287_629E)

    /// Appends the source's 16 bytes.
    package func append(to bytes: inout [UInt8]) {
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
    }

    /// The source's 16 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        append(to: &bytes)
        return bytes
    }

    /// The source in 22 characters of Base64 without padding.
    package var description: String {
        var text = GrowingBytes(capacity: Self.characterCount)
        appendText(to: &text)
        return text.string
    }

    /// Appends the source in 22 characters of Base64 without padding.
    func appendText(to text: inout GrowingBytes) {
        let bits = UInt128(high) << 64 | UInt128(low)
        for shift in stride(from: 122, through: 2, by: -6) {
            text.append(Base64.digit(UInt8(truncatingIfNeeded: bits >> UInt128(shift)) & 63))
        }
        text.append(Base64.digit(UInt8(truncatingIfNeeded: low & 3) << 4))
    }

    /// Returns whether a source's bytes precede another's.
    package static func < (left: SourceID, right: SourceID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The reason why a version, a vector or a time is refused.
package enum VersionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text doesn't have the syntax of versions.
    case malformed
    /// A source has two versions in one vector, of which neither is a merged version older than the current one.
    case duplicateSource
    /// A text or a vector exceeds the limit for reading.
    case tooLong
    /// A time is out of bounds.
    case implausibleTime
    /// A time is too far ahead of the system's clock.
    case aheadOfClock
    /// The clock can't issue another time, because it has reached the largest possible one.
    case clockExhausted

    package var description: String {
        switch self {
        case .malformed: "a version or a version vector is malformed"
        case .duplicateSource: "a version vector has two versions of the same source"
        case .tooLong:
            "a version vector has more than \(VersionText.maximumByteCount) bytes or \(VersionVector.maximumReadCount) versions"
        case .implausibleTime: "the time of a version is invalid"
        case .aheadOfClock:
            "the version is dated more than \(HybridTime.tolerance / 1_000_000_000) seconds ahead of the receiving computer's clock"
        case .clockExhausted: "the clock for new versions has reached its latest possible time, in the year 2262"
        }
    }
}
