/// A writer of JSONB elements with the shortest headers.
public struct JSONBWriter: ~Copyable {
    @usableFromInline var buffer: GrowingBytes

    /// Creates a writer with a capacity in bytes, which grows if necessary.
    @inlinable public init(capacity: Int = 64) { buffer = GrowingBytes(capacity: capacity) }

    /// The bytes that were written.
    public var bytes: [UInt8] { buffer.array }

    /// Calls `body` with the bytes that were written, and returns its result.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe buffer.withUnsafeBytes(body)
    }

    /// Ends the writer and returns the bytes that were written.
    package consuming func release() -> GrowingBytes { buffer }

    /// The number of bytes that were written.
    @inlinable public var count: Int { @inline(__always) get { buffer.count } }

    /// The written byte at an index from 0.
    @inlinable public subscript(index: Int) -> UInt8 {
        @inline(__always) get { buffer[index] }
    }

    /// Replaces a range of the written bytes by bytes that may have another length.
    package mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
        buffer.move(from: range.upperBound, by: bytes.count - range.count)
        for (index, byte) in bytes.enumerated() { buffer[range.lowerBound + index] = byte }
    }

    /// Removes a range of the written bytes.
    package mutating func remove(_ range: Range<Int>) { buffer.move(from: range.upperBound, by: -range.count) }

    /// Returns whether the bytes in one range of the written bytes come before those in another one, compared byte by
    /// byte.
    func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        for index in 0..<min(left.count, right.count) {
            let (a, b) = (buffer[left.lowerBound + index], buffer[right.lowerBound + index])
            if a != b { return a < b }
        }
        return left.count < right.count
    }

    /// Writes the header of an element; the caller must then write its payload of `byteCount` bytes.
    @inlinable @inline(__always)
    public mutating func header(_ type: UInt8, byteCount: Int) {
        if byteCount < 12 {
            buffer.append(UInt8(truncatingIfNeeded: byteCount) << 4 | type)
        } else if byteCount < 1 << 8 {
            buffer.append(12 << 4 | type)
            buffer.append(UInt8(truncatingIfNeeded: byteCount))
        } else {
            longHeader(type, byteCount: byteCount)
        }
    }

    @usableFromInline mutating func longHeader(_ type: UInt8, byteCount: Int) {
        let (code, width): (UInt8, Int) = byteCount < 1 << 16 ? (13, 2) : (14, 4)
        buffer.append(code << 4 | type)
        for index in stride(from: width - 1, through: 0, by: -1) {
            buffer.append(UInt8(truncatingIfNeeded: byteCount >> (index * 8)))
        }
    }

    /// Writes null.
    @inlinable public mutating func null() { buffer.append(JSONBType.null) }

    /// Writes true or false.
    @inlinable public mutating func boolean(_ value: Bool) { buffer.append(value ? JSONBType.true : JSONBType.false) }

    /// Writes an element whose payload is the bytes from the offset `start` up to the offset `end`.
    @inlinable @inline(__always)
    public mutating func element(_ type: UInt8, _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        header(type, byteCount: end - start)
        buffer.append(bytes, start, end)
    }

    /// Writes bytes that are whole JSONB elements already, from the offset `start` up to the offset `end`.
    @inlinable public mutating func raw(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        buffer.append(bytes, start, end)
    }

    /// Writes a byte of a payload whose header was written.
    @inlinable @inline(__always)
    public mutating func rawByte(_ byte: UInt8) { buffer.append(byte) }

    /// Writes an integer.
    @inlinable public mutating func integer(_ value: Int64) {
        if value >= 0, value < 10 {
            buffer.append(1 << 4 | JSONBType.integer)
            buffer.append(48 + UInt8(truncatingIfNeeded: value))
        } else {
            ascii(JSONBType.integer, String(value))
        }
    }

    /// Writes an element whose payload is digits or other ASCII text that needs no escapes.
    public mutating func ascii(_ type: UInt8, _ text: String) {
        let utf8 = text.utf8
        header(type, byteCount: utf8.count)
        for byte in utf8 { buffer.append(byte) }
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let span = unsafe utf8.span
            header(Self.stringType(span), byteCount: span.count)
            buffer.append(span)
        }
    }

    /// Returns the JSONB type of a string: `rawText` if it contains DEL or a character that must be escaped in JSON
    /// text, otherwise `text`.
    @inlinable @inline(__always)
    public static func stringType(_ utf8: borrowing Span<UInt8>) -> UInt8 {
        let isEscaped = unsafe utf8.withUnsafeBytes { bytes in
            var (index, found) = (0, UInt64(0))
            while index + 8 <= bytes.count {
                found |= escapedBytes(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index += 8
            }
            var last = UInt64(0x2020_2020_2020_2020)
            while index < bytes.count {
                last = last << 8 | UInt64(unsafe bytes[index])
                index += 1
            }
            return (found | escapedBytes(last)) != 0
        }
        return isEscaped ? JSONBType.rawText : JSONBType.text
    }

    /// Returns a number other than 0 if one of the eight bytes of a word is DEL or must be escaped in JSON text. By the
    /// methods for words with a zero byte and with a byte below a bound (Bit Twiddling Hacks, "Determine if a word has a
    /// zero byte", "has a byte less than n").
    @inlinable @inline(__always)
    static func escapedBytes(_ word: UInt64) -> UInt64 {
        let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
        let (quote, backslash, delete) = (word ^ ones &* 0x22, word ^ ones &* 0x5C, word ^ ones &* 0x7F)
        let control = (word &- ones &* 0x20) & ~word
        return
            (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (delete &- ones) & ~delete) & highs
    }

    /// An array or object that was started and hasn't ended.
    public struct Begun {
        @usableFromInline let offset: Int
        @usableFromInline let width: Int

        @inlinable init(offset: Int, width: Int) {
            self.offset = offset
            self.width = width
        }
    }

    /// Starts an array or object whose payload follows; pass the result to `end`. If `guess`, the estimated number of
    /// bytes of the payload, has the right magnitude, the payload needn't be moved.
    @inlinable @inline(__always)
    public mutating func begin(guess: Int) -> Begun {
        let width = Self.headerWidth(guess)
        let offset = buffer.count
        for _ in 0..<width { buffer.append(0) }
        return Begun(offset: offset, width: width)
    }

    /// Ends an array or object: writes its header, and moves the payload if the header has another size than estimated.
    public mutating func end(_ type: UInt8, _ begun: Begun) {
        let size = buffer.count - begun.offset - begun.width
        let width = Self.headerWidth(size)
        if width != begun.width { buffer.move(from: begun.offset + begun.width, by: width - begun.width) }
        let code: UInt8
        switch width {
        case 1: code = UInt8(truncatingIfNeeded: size)
        case 2: code = 12
        case 3: code = 13
        default: code = 14
        }
        buffer[begun.offset] = code << 4 | type
        for index in 1..<max(width, 1) {
            buffer[begun.offset + index] = UInt8(truncatingIfNeeded: size >> ((width - 1 - index) * 8))
        }
    }

    @inlinable @inline(__always)
    static func headerWidth(_ byteCount: Int) -> Int {
        byteCount < 12 ? 1 : byteCount < 1 << 8 ? 2 : byteCount < 1 << 16 ? 3 : 5
    }
}

/// A receiver of the values that `JSONScanner` parses, which writes them as JSONB.
struct JSONBSink: JSONSink, ~Copyable {
    private(set) var output: JSONBWriter
    /// The names of the objects that haven't ended: the ranges of their payloads in the output.
    private var labels: [Range<Int>] = []

    init(capacity: Int) { output = JSONBWriter(capacity: capacity) }

    mutating func null() { output.null() }

    mutating func boolean(_ value: Bool) { output.boolean(value) }

    @inline(__always)
    mutating func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>, isInteger: Bool) {
        output.element(isInteger ? JSONBType.integer : JSONBType.float, text, range.lowerBound, range.upperBound)
    }

    @inline(__always)
    mutating func string(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {
        guard string.hasEscapes || string.needsEscape else {
            return output.element(JSONBType.text, text, string.start, string.end)
        }
        unusualString(text, string, scanner)
    }

    private mutating func unusualString(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {
        output.header(string.needsEscape ? JSONBType.rawText : JSONBType.text, byteCount: string.byteCount)
        scanner.forEachByte(of: string, in: text) { output.rawByte($0) }
    }

    @inline(__always)
    mutating func name(_ text: borrowing Span<UInt8>, _ name: JSONString, _ scanner: JSONScanner) {
        string(text, name, scanner)
        labels.append((output.count - name.byteCount)..<output.count)
    }

    @inline(__always)
    mutating func begin(guess: Int) -> (begun: JSONBWriter.Begun, firstLabel: Int) {
        (output.begin(guess: guess), labels.count)
    }

    mutating func endArray(_ container: (begun: JSONBWriter.Begun, firstLabel: Int)) {
        output.end(JSONBType.array, container.begun)
    }

    /// Ends an object: writes its header and removes its names from `labels`. Returns false if it contains a name
    /// twice.
    mutating func endObject(_ container: (begun: JSONBWriter.Begun, firstLabel: Int)) -> Bool {
        // Checked before the header is written, which may move the bytes that the offsets refer to.
        let isSound = areDifferent(from: container.firstLabel)
        labels.removeSubrange(container.firstLabel...)
        output.end(JSONBType.object, container.begun)
        return isSound
    }

    private func areDifferent(from first: Int) -> Bool {
        let count = labels.count - first
        if count <= 12 {
            for index in (first + 1)..<max(labels.count, first + 1) {
                for other in first..<index where isSame(labels[index], labels[other]) { return false }
            }
        } else {
            var sorted = Array(labels[first...])
            sorted.sort { output.precedes($0, $1) }
            for index in 1..<count where isSame(sorted[index], sorted[index - 1]) { return false }
        }
        return true
    }

    @inline(__always)
    private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count
        where output[left.lowerBound + index] != output[right.lowerBound + index] { return false }
        return true
    }
}
