import CSQLite
import SealiteJSON

/// The texts of values, and places in texts. A character is a Unicode scalar value here.
enum QueryText {
    /// The most bytes that a function makes of shorter arguments; beyond, its result is NULL.
    static let maximumByteCount = 20 << 20

    /// Appends a value as text: a string as it is, a number as JSON has it, any other value as JSON.
    ///
    /// - Returns: false for MISSING and for damaged values.
    static func append(_ value: QueryValue, to text: inout GrowingBytes) -> Bool {
        switch value {
        case .missing: return false
        case .null: text.append("null")
        case .boolean(let isTrue): text.append(isTrue ? "true" : "false")
        case .integer(let number): append(number.description, to: &text)
        case .double(let number): append(number.description, to: &text)
        case .bigNumber(let content), .string(let content): text.append(unsafe content.payload.span)
        case .array(let content), .object(let content):
            var serializer = JSONBSerializer(.stored)
            guard (try? serializer.write(content.element, in: unsafe content.payload.span)) != nil else { return false }
            unsafe serializer.text.withUnsafeBytes { bytes in
                text.append(unsafe bytes.bindMemory(to: UInt8.self).span)
            }
        }
        return true
    }

    private static func append(_ string: String, to text: inout GrowingBytes) {
        for byte in string.utf8 { text.append(byte) }
    }

    /// The offset behind the character at an offset.
    @inline(__always)
    static func next(_ text: borrowing Span<UInt8>, _ offset: Int) -> Int {
        var offset = offset + 1
        while offset < text.count, text[offset] & 0xC0 == 0x80 { offset += 1 }
        return offset
    }

    /// The number of characters in a range of bytes.
    static func characterCount(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
        var count = 0
        for offset in range where text[offset] & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// The offset of the character with an index, or the end where there are fewer.
    static func offset(_ text: borrowing Span<UInt8>, ofCharacter index: Int) -> Int {
        var (offset, left) = (0, index)
        while offset < text.count, left > 0 {
            offset = next(text, offset)
            left -= 1
        }
        return offset
    }

    /// The offset at which a text that isn't empty is found from an offset on; nil if it isn't.
    static func find(_ part: QueryBytes, in text: QueryBytes, from start: Int = 0) -> Int? {
        guard part.count > 0, start <= text.count, let base = unsafe text.payload.baseAddress,
            let found = unsafe sealite_find(base + start, text.count - start, part.payload.baseAddress, part.count)
        else { return nil }
        return unsafe found - UnsafeRawPointer(base)
    }
}

extension QueryCall {
    /// True if an argument is MISSING.
    func hasMissing() -> Bool { (0..<count).contains { self[$0].isMissing } }

    /// Gives bytes as text.
    func give(text: borrowing GrowingBytes) {
        unsafe text.withUnsafeBytes { bytes in unsafe give(text: bytes.bindMemory(to: UInt8.self)) }
    }

    /// Gives a range of a text.
    func give(_ text: QueryBytes, _ range: Range<Int>) {
        unsafe give(text: UnsafeBufferPointer(rebasing: text.payload[range]))
    }
}
