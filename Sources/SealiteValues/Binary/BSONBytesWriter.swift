internal import SealiteJSON

extension MongoDocument {
    /// Returns the document as BSON bytes (bsonspec.org, version 1.1).
    ///
    /// - Throws: `BSONBytesError` if a name or a regular expression contains a null byte, if there would be more than
    ///   2³¹ - 1 bytes, and if documents are nested deeper than 500 levels.
    public func bsonBytes() throws(BSONBytesError) -> [UInt8] {
        var writer = BSONBytesWriter()
        try writer.write(self, depth: 0)
        return writer.bytes
    }
}

/// A serializer of BSON.
private struct BSONBytesWriter {
    private(set) var bytes: [UInt8] = []

    // MARK: - Documents

    mutating func write(_ document: MongoDocument, depth: Int) throws(BSONBytesError) {
        guard depth < JSONB.maximumDepth else {
            throw BSONBytesError(at: 0, "documents and arrays are nested deeper than \(JSONB.maximumDepth) levels")
        }
        let start = begin()
        for member in document { try write(member.key, member.value, depth: depth + 1) }
        bytes.append(0)
        try end(start)
    }

    private mutating func write(_ items: [BSON], depth: Int) throws(BSONBytesError) {
        guard depth < JSONB.maximumDepth else {
            throw BSONBytesError(at: 0, "documents and arrays are nested deeper than \(JSONB.maximumDepth) levels")
        }
        let start = begin()
        for (index, item) in items.enumerated() { try write(String(index), item, depth: depth + 1) }
        bytes.append(0)
        try end(start)
    }

    private mutating func write(_ name: String, _ value: BSON, depth: Int) throws(BSONBytesError) {
        bytes.append(UInt8(truncatingIfNeeded: value.type.rawValue))
        try nullTerminated(name)
        switch value {
        case .document(let document): try write(document, depth: depth)
        case .array(let items): try write(items, depth: depth)
        case .string(let text), .code(let text), .symbol(let text): try string(text)
        case .codeWithScope(let text, let scope):
            let start = begin()
            try string(text)
            try write(scope, depth: depth)
            try end(start)
        case .binary(let binary): try write(binary)
        case .regex(let regex):
            try nullTerminated(regex.pattern)
            try nullTerminated(regex.options)
        case .dbPointer(let pointer):
            try string(pointer.collection)
            bytes.append(contentsOf: pointer.id.bytes)
        default: writeScalar(value)
        }
    }

    // MARK: - Values

    private mutating func writeScalar(_ value: BSON) {
        switch value {
        case .double(let number): append(number.bitPattern)
        case .objectID(let id): bytes.append(contentsOf: id.bytes)
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .datetime(let date): append(date.milliseconds)
        case .int32(let number): append(number)
        case .int64(let number): append(number)
        case .timestamp(let timestamp):
            append(timestamp.increment)
            append(timestamp.seconds)
        case .decimal128(let number):
            append(number.low)
            append(number.high)
        default: break
        }
    }

    private mutating func write(_ binary: Binary) throws(BSONBytesError) {
        // The deprecated subtype 2 repeats the length.
        let isOld = binary.subtype == 2
        append(try length(binary.bytes.count + (isOld ? 4 : 0)))
        bytes.append(binary.subtype)
        if isOld { append(try length(binary.bytes.count)) }
        bytes.append(contentsOf: binary.bytes)
    }

    // MARK: - Pieces

    private mutating func begin() -> Int {
        bytes.append(contentsOf: [0, 0, 0, 0])
        return bytes.count - 4
    }

    private mutating func end(_ start: Int) throws(BSONBytesError) {
        let length = try length(bytes.count - start)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> Int32(8 * index)) }
    }

    private func length(_ count: Int) throws(BSONBytesError) -> Int32 {
        guard let length = Int32(exactly: count) else {
            throw BSONBytesError(
                at: 0, "the document, or a value in it, exceeds BSON's maximum size of \(Int32.max) bytes")
        }
        return length
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: type(of: number).bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func string(_ text: String) throws(BSONBytesError) {
        append(try length(text.utf8.count + 1))
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    private mutating func nullTerminated(_ text: String) throws(BSONBytesError) {
        guard !text.utf8.contains(0) else {
            throw BSONBytesError(
                at: 0, "a member's name, or a regular expression's pattern or options, contains a null byte")
        }
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }
}
