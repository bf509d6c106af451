internal import SealiteBase
internal import SealiteJSON

// Binary data in the Extended JSON of bodies, {"$binary":{"base64":"…","subType":"00"}} (Documentation/Values.md §2).
extension VectorReader {
    /// The types of items in MongoDB's vectors, of which the one with packed bits isn't a vector here.
    /// https://github.com/mongodb/specifications/blob/master/source/bson-binary-vector/bson-binary-vector.md
    private enum ItemType: UInt8 {
        case int8 = 0x03
        case float32 = 0x27

        var byteCount: Int { self == .int8 ? 1 : 4 }
    }

    /// The subtype of binary data with one of MongoDB's vectors.
    package static let vectorSubtype: UInt8 = 9
    /// The size of the type of a vector's items, and of the number of its unused bits, before the items.
    private static let headerByteCount = 2

    /// Binary data: the range of its Base64, and its subtype.
    private typealias BinaryData = (base64: Range<Int>, subtype: UInt8)

    /// Returns the binary data that an object stands for; nil for any other element.
    private static func binaryData(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> BinaryData? {
        guard element.type == JSONBType.object, element.itemCount(in: bytes) == 1,
            let content = member("$binary", of: element, in: bytes), content.itemCount(in: bytes) == 2,
            let base64 = member("base64", of: content, in: bytes), base64.isString,
            let subtype = member("subType", of: content, in: bytes), subtype.isString,
            (1...2).contains(subtype.end - subtype.start)
        else { return nil }
        var number: UInt8 = 0
        for index in subtype.start..<subtype.end {
            guard let digit = Hexadecimal.value(bytes[index]) else { return nil }
            number = number << 4 | digit
        }
        return (base64.start..<base64.end, number)
    }

    private static func member(
        _ name: StaticString, of element: JSONBElement, in bytes: borrowing Span<UInt8>
    ) -> JSONBElement? {
        let name = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return unsafe element.member(name.span, in: bytes)
    }

    /// Reads binary data: little-endian Float32 in that without a special subtype, or one of MongoDB's vectors.
    static func read(
        binary element: JSONBElement, in bytes: borrowing Span<UInt8>, into output: UnsafeMutableBufferPointer<Float>
    ) -> Bool {
        guard let data = binaryData(element, in: bytes) else { return false }
        let text = bytes.extracting(data.base64)
        if data.subtype == 0 { return unsafe read(base64: text, into: output) }
        // At most as long as a vector of float32, so that no value makes this larger than the vector that is wanted.
        guard data.subtype == vectorSubtype, let byteCount = decodedByteCount(text),
            byteCount <= headerByteCount + output.count * 4
        else { return false }
        return unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { decoded in
            guard unsafe decode(text, into: decoded) else { return false }
            return unsafe read(vector: decoded.bindMemory(to: UInt8.self).span, into: output)
        }
    }

    /// Reads the content of binary data with one of MongoDB's vectors, whose items are Float32 or 8-bit integers.
    package static func read(
        vector bytes: borrowing Span<UInt8>, into output: UnsafeMutableBufferPointer<Float>
    ) -> Bool {
        guard count(vector: bytes) == output.count else { return false }
        let items = bytes.extracting(headerByteCount...)
        guard bytes[0] == ItemType.int8.rawValue else { return unsafe read(floats: items, into: output) }
        for index in items.indices { unsafe output[index] = Float(Int8(bitPattern: items[index])) }
        return true
    }

    /// Returns the number of items of one of MongoDB's vectors; nil for bytes that aren't one with whole items.
    package static func count(vector bytes: borrowing Span<UInt8>) -> Int? {
        guard bytes.count >= headerByteCount else { return nil }
        return count(header: (bytes[0], bytes[1]), byteCount: bytes.count)
    }

    private static func count(header: (type: UInt8, unusedBits: UInt8), byteCount: Int) -> Int? {
        guard let type = ItemType(rawValue: header.type), header.unusedBits == 0 else { return nil }
        let (count, rest) = (byteCount - headerByteCount).quotientAndRemainder(dividingBy: type.byteCount)
        return rest == 0 ? count : nil
    }

    static func count(binary element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Int? {
        guard let data = binaryData(element, in: bytes) else { return nil }
        let text = bytes.extracting(data.base64)
        if data.subtype == 0 { return count(base64: text) }
        // The header is in the first three characters, or more bytes.
        guard data.subtype == vectorSubtype, let byteCount = decodedByteCount(text), byteCount >= headerByteCount else {
            return nil
        }
        var header: UInt32 = 0
        for index in 0..<3 {
            guard let digit = Base64.value(text[index]) else { return nil }
            header = header << 6 | UInt32(digit)
        }
        return count(
            header: (UInt8(truncatingIfNeeded: header >> 10), UInt8(truncatingIfNeeded: header >> 2)),
            byteCount: byteCount)
    }
}
