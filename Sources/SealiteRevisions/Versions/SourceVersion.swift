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
