internal import SealiteJSON

/// A position in a peer's changes feed: JSON that is stored and sent back unchanged.
///
/// Most peers use integers. Sync Gateway also uses strings of two or three numbers: `"triggeredBy:sequence"`,
/// `"low:triggeredBy:sequence"`, `"low::sequence"`.
package struct RemoteSequence: Hashable, Sendable {
    /// The JSON text, including the quotes of a string.
    package let json: String

    /// Creates an integer sequence.
    package init(_ number: UInt64) { json = String(number) }

    /// Reads a JSON number or string.
    ///
    /// - Throws: `notJSON`, `wrongShape` for another kind, `tooLarge` above the limit.
    package init(reading reader: inout JSONReader, limits: MessageLimits) throws(MessageError) {
        let kind = try reader.peek()
        guard kind == .number || kind == .string else {
            throw MessageError(.wrongShape, "a sequence is neither a number nor a string")
        }
        let raw = try reader.rawValue()
        guard raw.count <= limits.sequenceByteCount else {
            throw MessageError(.tooLarge, "a sequence has more than \(limits.sequenceByteCount) bytes")
        }
        guard let json = String(utf8: raw) else {
            throw MessageError(.notJSON, "a sequence is not UTF-8")
        }
        self.json = json
    }

    /// Reads the JSON text of a property: a number or a string.
    ///
    /// - Throws: as `init(reading:limits:)`.
    package init(json text: String, limits: MessageLimits) throws(MessageError) {
        var reader = JSONReader(text.utf8)
        try self.init(reading: &reader, limits: limits)
        try reader.end()
    }

    /// The number, if the sequence is a single integer, quoted or not; otherwise nil.
    package var number: UInt64? { UInt64(json) ?? UInt64(unquoted) }

    private var unquoted: Substring {
        json.utf8.first == UInt8(ascii: "\"") ? json.dropFirst().dropLast() : json[...]
    }

    /// The numbers of the sequence, 0 for an absent one; nil if the sequence has no known form.
    private var parts: (low: UInt64, triggeredBy: UInt64, sequence: UInt64)? {
        let fields = unquoted.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = fields.last.flatMap({ UInt64($0) }) else { return nil }
        switch fields.count {
        case 1: return (0, 0, last)
        case 2:
            guard let triggeredBy = UInt64(fields[0]) else { return nil }
            return (0, triggeredBy, last)
        case 3:
            guard let low = UInt64(fields[0]), let triggeredBy = fields[1].isEmpty ? 0 : UInt64(fields[1]) else {
                return nil
            }
            return (low, triggeredBy, last)
        default: return nil
        }
    }

    /// Returns whether the sequence comes before another, in Sync Gateway's order; nil if either has no known form.
    ///
    /// Used only to compare two replication checkpoints. Rows of a feed are ordered by their arrival.
    package func precedes(_ other: RemoteSequence) -> Bool? {
        guard let own = parts, let other = other.parts else { return nil }
        switch (own.low > 0, other.low > 0) {
        case (true, true): return own.low != other.low ? own.low < other.low : Self.precedes(own, other)
        case (true, false): return own.low < (other.triggeredBy > 0 ? other.triggeredBy : other.sequence)
        case (false, true): return (own.triggeredBy > 0 ? own.triggeredBy : own.sequence) <= other.low
        case (false, false): return Self.precedes(own, other)
        }
    }

    private typealias Parts = (low: UInt64, triggeredBy: UInt64, sequence: UInt64)

    private static func precedes(_ own: Parts, _ other: Parts) -> Bool {
        switch (own.triggeredBy > 0, other.triggeredBy > 0) {
        case (false, false): own.sequence < other.sequence
        case (false, true): own.sequence < other.triggeredBy
        case (true, false): own.triggeredBy <= other.sequence
        case (true, true):
            own.triggeredBy != other.triggeredBy
                ? own.triggeredBy < other.triggeredBy : own.sequence < other.sequence
        }
    }
}
