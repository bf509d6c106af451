import CSQLite
import SealiteJSON

/// Helpers for texts of values and offsets in texts. In these helpers, a character is a Unicode scalar value.
enum ValueText {
    /// The maximum size of a result that is longer than its arguments, in bytes; a longer result is NULL.
    static let maximumByteCount = 20 << 20

    /// Appends a value of a query as text: strings unchanged, other values as JSON.
    ///
    /// - Returns: false for MISSING and for damaged values.
    static func append(_ value: FunctionValue, to text: inout GrowingBytes) -> Bool {
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

    /// Returns the byte offset after the character that starts at an offset.
    @inline(__always)
    static func next(_ text: borrowing Span<UInt8>, _ offset: Int) -> Int {
        var offset = offset + 1
        while offset < text.count, text[offset] & 0xC0 == 0x80 { offset += 1 }
        return offset
    }

    /// Returns the number of characters in a range of bytes.
    static func characterCount(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Int {
        var count = 0
        for offset in range where text[offset] & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// Returns the byte offset of the character with an index, from 0, or the end if there are fewer characters.
    static func offset(_ text: borrowing Span<UInt8>, ofCharacter index: Int) -> Int {
        var (offset, left) = (0, index)
        while offset < text.count, left > 0 {
            offset = next(text, offset)
            left -= 1
        }
        return offset
    }

    /// Returns the byte offset in `text` of the first occurrence of a nonempty text, from an offset on; nil if there is
    /// none.
    static func find(_ part: QueryBytes, in text: QueryBytes, from start: Int = 0) -> Int? {
        guard part.count > 0, start <= text.count, let base = unsafe text.payload.baseAddress,
            let found = unsafe sealite_find(base + start, text.count - start, part.payload.baseAddress, part.count)
        else { return nil }
        return unsafe found - UnsafeRawPointer(base)
    }
}

extension QueryCall {
    /// Returns whether any argument of the call is MISSING.
    func hasMissing() -> Bool { (0..<count).contains { self[$0].isMissing } }

    /// Sets the result of the call to the part of a text in a range of bytes.
    func give(_ text: QueryBytes, _ range: Range<Int>) {
        unsafe give(text: UnsafeBufferPointer(rebasing: text.payload[range]))
    }
}
