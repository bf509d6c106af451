/// The element types of SQLite's JSONB that the database stores (Documentation/DocumentFormat.md §2.2).
enum JSONBType {
    static let null: UInt8 = 0
    static let `true`: UInt8 = 1
    static let `false`: UInt8 = 2
    static let integer: UInt8 = 3
    static let float: UInt8 = 5
    static let text: UInt8 = 7
    static let rawText: UInt8 = 10
    static let array: UInt8 = 11
    static let object: UInt8 = 12
}

/// Where one JSONB element lies: its type and its payload, as offsets into the bytes it was read from.
struct JSONBElement: Equatable {
    var type: UInt8
    var start: Int
    var end: Int

    var isString: Bool { type == JSONBType.text || type == JSONBType.rawText }
    var isNumber: Bool { type == JSONBType.integer || type == JSONBType.float }

    /// Reads the header at `offset`; nil when the element would pass `limit`, which is within the bytes.
    @inline(__always)
    init?(_ bytes: borrowing Span<UInt8>, at offset: Int, limit: Int) {
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

    /// The element at the root.
    @inline(__always)
    init?(root bytes: borrowing Span<UInt8>) {
        self.init(bytes, at: 0, limit: bytes.count)
    }

    /// The value of a member of this object; nil when there is none or this is no object.
    @inline(__always)
    func member(_ key: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
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

    /// The item at `index` of this array; nil past the end.
    func item(_ index: Int, in bytes: borrowing Span<UInt8>) -> JSONBElement? {
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

    /// Whether the payload is `other`, which has its length.
    @inline(__always)
    func hasPayload(_ other: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> Bool {
        for index in 0..<other.count where bytes[start + index] != other[index] { return false }
        return true
    }
}
