/// JSONB, the binary form of JSON in which the bodies of documents are stored (Documentation/DocumentFormat.md §2.2).
package enum JSONB {
    /// Returns the lossless JSONB of a JSON text: numbers keep their digits, members keep their order, and ambiguous
    /// texts, in which an object contains a name twice or a surrogate is unpaired, are refused.
    ///
    /// - Parameters:
    ///   - text: the text in UTF-8.
    ///   - requiresObject: whether the root must be an object, as in documents.
    /// - Returns: the bytes.
    /// - Throws: `JSONError`.
    package static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(JSONError) -> [UInt8] {
        let span = text.span
        var scanner = JSONScanner(.documents)
        var sink = JSONBSink(capacity: span.count + span.count / 8 + 16)
        scanner.passSpace(span)
        if requiresObject, scanner.current(span) != 0x7B {
            throw scanner.failure("a document is a JSON object, but this is not one", .wrongKind)
        }
        try scanner.value(span, into: &sink, guess: span.count &* 7 / 8)
        try scanner.end(span)
        return sink.output.bytes
    }

    /// The maximum nesting depth of arrays and objects in a document's stored body, the outermost object included.
    package static var maximumDepth: Int { JSONRules.documents.maximumDepth }
}

/// The element types of SQLite's JSONB that the database stores (Documentation/DocumentFormat.md §2.2).
public enum JSONBType {
    /// The type of null.
    @inlinable public static var null: UInt8 { 0 }
    /// The type of true.
    @inlinable public static var `true`: UInt8 { 1 }
    /// The type of false.
    @inlinable public static var `false`: UInt8 { 2 }
    /// The type of a number without fraction and exponent; the payload is its JSON text, such as `-12`.
    @inlinable public static var integer: UInt8 { 3 }
    /// The type of any other number; the payload is its JSON text.
    @inlinable public static var float: UInt8 { 5 }
    /// The type of a string without characters that must be escaped in JSON text, and without DEL; the payload is its
    /// UTF-8.
    @inlinable public static var text: UInt8 { 7 }
    /// The type of any other string; the payload is its UTF-8, not escaped.
    @inlinable public static var rawText: UInt8 { 10 }
    /// The type of an array; the payload is its elements.
    @inlinable public static var array: UInt8 { 11 }
    /// The type of an object; the payload is alternating names and values.
    @inlinable public static var object: UInt8 { 12 }
}

/// A JSONB element: its type and the range of its payload, as offsets into the bytes that contain it.
public struct JSONBElement: Equatable, Sendable {
    /// The element's type, one of `JSONBType`, or another one in invalid bytes.
    public var type: UInt8
    /// The offset of the payload's first byte.
    public var start: Int
    /// The offset after the payload's last byte, where the element ends.
    public var end: Int

    /// A Boolean value that says whether the element is a string.
    @inlinable public var isString: Bool { type == JSONBType.text || type == JSONBType.rawText }
    /// A Boolean value that says whether the element is a number.
    @inlinable public var isNumber: Bool { type == JSONBType.integer || type == JSONBType.float }

    /// Creates an element from the header at `offset`; nil if the element would exceed `limit`, which must be within
    /// the bytes, or if the header has a form that Sealite doesn't write, for payloads of 4 GiB or more.
    @inlinable @inline(__always)
    public init?(_ bytes: borrowing Span<UInt8>, at offset: Int, limit: Int) {
        guard offset < limit else { return nil }
        let first = bytes[offset]
        let code = Int(first >> 4)
        type = first & 15
        start = offset + 1
        guard code > 11 else {
            end = start + code
            guard end <= limit else { return nil }
            return
        }
        guard code < 15 else { return nil }
        let width = 1 << (code - 12)
        guard width <= limit - start else { return nil }
        var size = 0
        for index in start..<(start + width) { size = size << 8 | Int(bytes[index]) }
        start += width
        guard size <= limit - start else { return nil }
        end = start + size
    }

    /// Creates an element with a type and a range as its payload, without reading bytes.
    @inlinable public init(_ type: UInt8, payload: Range<Int>) {
        (self.type, start, end) = (type, payload.lowerBound, payload.upperBound)
    }

    /// Creates the element at the start of bytes, the root of JSONB; nil if they don't start with a whole element.
    /// Further bytes may follow it.
    @inlinable @inline(__always)
    public init?(root bytes: borrowing Span<UInt8>) {
        self.init(bytes, at: 0, limit: bytes.count)
    }

    /// Returns the value of the first member of this object with the name `key`; nil if there is none or the element
    /// isn't an object.
    @inlinable @inline(__always)
    public func member(_ key: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
        guard type == JSONBType.object else { return nil }
        var offset = start
        while offset < end {
            guard let label = JSONBElement(bytes, at: offset, limit: end),
                let value = JSONBElement(bytes, at: label.end, limit: end)
            else { return nil }
            if label.end - label.start == key.count, label.hasPayload(key, in: bytes) { return value }
            offset = value.end
        }
        return nil
    }

    /// Returns the item at `index`, from 0, of this array; nil past the end or if the element isn't an array.
    @inlinable public func item(_ index: Int, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
        guard type == JSONBType.array, index >= 0 else { return nil }
        var offset = start
        var remaining = index
        while offset < end {
            guard let item = JSONBElement(bytes, at: offset, limit: end) else { return nil }
            if remaining == 0 { return item }
            remaining -= 1
            offset = item.end
        }
        return nil
    }

    /// Returns the number of items of this array, or of members of this object, up to damaged bytes; 0 for other types.
    package func itemCount(in bytes: borrowing Span<UInt8>) -> Int {
        guard type == JSONBType.array || type == JSONBType.object else { return 0 }
        var (offset, count) = (start, 0)
        while let item = JSONBElement(bytes, at: offset, limit: end) {
            (offset, count) = (item.end, count + 1)
        }
        return type == JSONBType.array ? count : count / 2
    }

    /// Returns whether the payload is equal to `other`, which must have the same length.
    @inlinable @inline(__always)
    public func hasPayload(_ other: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> Bool {
        for index in 0..<other.count where bytes[start + index] != other[index] { return false }
        return true
    }
}

extension JSONBElement {
    /// The size in bytes that the element has if its header is the shortest one.
    package var shortestByteCount: Int { JSONBWriter.headerWidth(end - start) + end - start }

    /// Appends the element, with the shortest header for its payload, to an output that has capacity for it.
    package func append(to output: inout OutputSpan<UInt8>, in bytes: borrowing Span<UInt8>) {
        let byteCount = end - start
        let width = JSONBWriter.headerWidth(byteCount)
        let code = width == 1 ? UInt8(byteCount) : width == 2 ? 12 : width == 3 ? 13 : 14
        output.append(code << 4 | type)
        for index in 1..<max(width, 1) {
            output.append(UInt8(truncatingIfNeeded: byteCount >> ((width - 1 - index) * 8)))
        }
        for index in start..<end { output.append(bytes[index]) }
    }
}
