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
