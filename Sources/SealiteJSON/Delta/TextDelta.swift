/// The change of a text as operations on the bytes of its UTF-8: `n=` copies n bytes, `n-` skips n, and `n+…|` inserts the n
/// bytes that follow.
enum TextDelta {
    /// The size in bytes below which a new text is sent whole, as Couchbase Lite does: the operations of a short one are
    /// hardly shorter.
    static let minimumByteCount = 60

    /// Appends the operations, without splitting a character, as the content of a JSON string.
    ///
    /// - Parameters:
    ///   - old: the UTF-8 of the old text.
    ///   - new: the UTF-8 of the new text.
    ///   - output: where the operations go.
    ///   - maximum: a size in bytes; once the operations are larger, which makes them useless, writing stops.
    static func append(
        from old: borrowing Span<UInt8>, to new: borrowing Span<UInt8>, into output: inout GrowingBytes, maximum: Int
    ) {
        var operations = TextOperations(output.count + maximum)
        let prefix = commonPrefix(old, new)
        let suffix = commonSuffix(old, new, limit: min(old.count, new.count) - prefix)
        operations.copy(prefix)
        let oldMiddle = prefix..<(old.count - suffix)
        let newMiddle = prefix..<(new.count - suffix)
        if min(oldMiddle.count, newMiddle.count) >= TextAnchors.minimumMiddle {
            let anchors = TextAnchors(old, oldMiddle)
            anchors.match(old, oldMiddle, new, newMiddle, &operations, &output)
        } else {
            operations.replace(oldMiddle.count, new, newMiddle, &output)
        }
        operations.copy(suffix)
        operations.end(&output)
    }

    /// Returns whether the byte at an index is a UTF-8 continuation byte; false at the end of the bytes.
    @inline(__always)
    static func isContinuation(_ bytes: borrowing Span<UInt8>, _ index: Int) -> Bool {
        index < bytes.count && bytes[index] & 0xC0 == 0x80
    }

    private static func commonPrefix(_ old: borrowing Span<UInt8>, _ new: borrowing Span<UInt8>) -> Int {
        var count = old.commonPrefixCount(new)
        while count > 0, isContinuation(old, count) || isContinuation(new, count) { count -= 1 }
        return count
    }

    private static func commonSuffix(
        _ old: borrowing Span<UInt8>, _ new: borrowing Span<UInt8>, limit: Int
    ) -> Int {
        var count = old.commonSuffixCount(new, limit: limit)
        while count > 0, isContinuation(old, old.count - count) { count -= 1 }
        return count
    }

    /// Appends to `output` what the operations make of a text.
    ///
    /// - Parameters:
    ///   - operations: the UTF-8 of the operations.
    ///   - old: the UTF-8 of the text to which they are applied.
    ///   - output: where the new text goes; undefined after an error.
    /// - Throws: `textOperations` if the operations aren't well formed, or don't use up the old text exactly.
    static func apply(
        _ operations: borrowing Span<UInt8>, to old: borrowing Span<UInt8>, into output: inout GrowingBytes
    ) throws(JSONDeltaError) {
        var (index, position) = (0, 0)
        guard operations.count > 0 else { throw .inapplicable(.textOperations) }
        while index < operations.count {
            guard let count = readCount(operations, &index), index < operations.count else {
                throw .inapplicable(.textOperations)
            }
            let operation = operations[index]
            index += 1
            switch operation {
            case UInt8(ascii: "="):
                guard count <= old.count - position else { throw .inapplicable(.textOperations) }
                output.append(old, position, position + count)
                position += count
            case UInt8(ascii: "-"):
                guard count <= old.count - position else { throw .inapplicable(.textOperations) }
                position += count
            case UInt8(ascii: "+"):
                guard count < operations.count - index, operations[index + count] == UInt8(ascii: "|") else {
                    throw .inapplicable(.textOperations)
                }
                output.append(operations, index, index + count)
                index += count + 1
            default:
                throw .inapplicable(.textOperations)
            }
        }
        guard position == old.count else { throw .inapplicable(.textOperations) }
    }

    /// Reads the number before an operation; nil if there is none, or it has more than nine digits.
    private static func readCount(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Int? {
        let start = index
        var count = 0
        while index < bytes.count, index - start < 9, bytes[index] >= 0x30, bytes[index] <= 0x39 {
            count = count * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        return index > start ? count : nil
    }
}

/// Joins operations of one kind and writes them.
struct TextOperations {
    /// The size of the output at which the operations have become useless.
    private let maximum: Int
    private var copied = 0
    private var skipped = 0

    init(_ maximum: Int) { self.maximum = maximum }

    mutating func copy(_ count: Int) { copied += count }

    /// Skips bytes of the old text, and inserts a range of the new one.
    mutating func replace(
        _ skip: Int, _ new: borrowing Span<UInt8>, _ range: Range<Int>, _ output: inout GrowingBytes
    ) {
        guard skip > 0 || !range.isEmpty, output.count <= maximum else { return }
        end(&output)
        if skip > 0 {
            output.appendDecimal(skip)
            output.append(UInt8(ascii: "-"))
        }
        if !range.isEmpty {
            output.appendDecimal(range.count)
            output.append(UInt8(ascii: "+"))
            JSONEscape.append(new.extracting(range), to: &output)
            output.append(UInt8(ascii: "|"))
        }
    }

    /// Writes what is due.
    mutating func end(_ output: inout GrowingBytes) {
        guard copied > 0 else { return }
        output.appendDecimal(copied)
        output.append(UInt8(ascii: "="))
        copied = 0
    }
}

/// Finds what two texts have in common after the first difference: runs that lie in the same order in both.
struct TextAnchors {
    /// The size of the texts' different middles below which they are replaced as a whole.
    static let minimumMiddle = 64
    /// The number of bytes that have to be equal before a run counts.
    private static let width = 16
    /// The distance between the places of the old text that are looked up.
    private static let step = 8

    /// Offsets in the old text by the hashes of the bytes there; −1 for none.
    private var slots: [Int32]

    init(_ old: borrowing Span<UInt8>, _ range: Range<Int>) {
        var size = 64
        while size < range.count / Self.step * 2, size < 1 << 20 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        var offset = range.lowerBound
        while offset + Self.width <= range.upperBound {
            let slot = Self.hash(old, offset) & (size - 1)
            if slots[slot] < 0 { slots[slot] = Int32(truncatingIfNeeded: offset) }
            offset += Self.step
        }
    }

    /// Writes the operations that turn a range of the old text into one of the new text.
    func match(
        _ old: borrowing Span<UInt8>, _ oldRange: Range<Int>, _ new: borrowing Span<UInt8>, _ newRange: Range<Int>,
        _ operations: inout TextOperations, _ output: inout GrowingBytes
    ) {
        var (oldDone, newDone, offset) = (oldRange.lowerBound, newRange.lowerBound, newRange.lowerBound)
        while offset + Self.width <= newRange.upperBound {
            let candidate = Int(slots[Self.hash(new, offset) & (slots.count - 1)])
            guard candidate >= oldDone, Self.isEqual(old, candidate, new, offset) else {
                offset += 1
                continue
            }
            var (oldStart, start, length) = (candidate, offset, Self.width)
            while oldStart > oldDone, start > newDone, old[oldStart - 1] == new[start - 1] {
                (oldStart, start, length) = (oldStart - 1, start - 1, length + 1)
            }
            while oldStart + length < oldRange.upperBound, start + length < newRange.upperBound,
                old[oldStart + length] == new[start + length]
            {
                length += 1
            }
            let next = start + length
            // No operation begins or ends within a character.
            while length > 0, TextDelta.isContinuation(new, start) {
                (oldStart, start, length) = (oldStart + 1, start + 1, length - 1)
            }
            while length > 0,
                TextDelta.isContinuation(new, start + length) || TextDelta.isContinuation(old, oldStart + length)
            {
                length -= 1
            }
            if length > 0 {
                operations.replace(oldStart - oldDone, new, newDone..<start, &output)
                operations.copy(length)
                (oldDone, newDone) = (oldStart + length, start + length)
            }
            offset = max(next, newDone)
        }
        operations.replace(oldRange.upperBound - oldDone, new, newDone..<newRange.upperBound, &output)
    }

    @inline(__always)
    private static func word(_ bytes: borrowing Span<UInt8>, _ offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | UInt64(bytes[offset + index]) }
        return word
    }

    @inline(__always)
    private static func hash(_ bytes: borrowing Span<UInt8>, _ offset: Int) -> Int {
        // Multipliers from the fractional parts of the golden ratio and of the square root of 3; collisions only make a
        // delta longer.
        let mixed = word(bytes, offset) &* 0x9E37_79B9_7F4A_7C15 ^ word(bytes, offset + 8) &* 0xBB67_AE85_84CA_A73B
        return Int(truncatingIfNeeded: (mixed ^ mixed >> 29) >> 8)
    }

    @inline(__always)
    private static func isEqual(
        _ old: borrowing Span<UInt8>, _ oldOffset: Int, _ new: borrowing Span<UInt8>, _ offset: Int
    ) -> Bool {
        word(old, oldOffset) == word(new, offset) && word(old, oldOffset + 8) == word(new, offset + 8)
    }
}
