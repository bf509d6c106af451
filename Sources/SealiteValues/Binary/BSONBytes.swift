public import SealiteBase
internal import SealiteJSON

extension MongoDocument {
    /// Creates a document from BSON bytes (bsonspec.org, version 1.1), which must contain exactly one document. Members
    /// with the same name are all kept.
    ///
    /// - Throws: `BSONBytesError` if the bytes are damaged, or nested deeper than 500 levels.
    public init(bsonBytes bytes: [UInt8]) throws(BSONBytesError) {
        var reader = BSONBytesReader(bytes)
        self = try reader.document(depth: 0)
        guard reader.position == bytes.count else {
            throw BSONBytesError(at: reader.position, "data follows the end of the BSON document")
        }
    }
}

/// A parser of BSON. Every length is checked against the remaining bytes, so that malicious bytes can't allocate more
/// memory than their size.
private struct BSONBytesReader {
    private let bytes: [UInt8]
    private(set) var position = 0
    /// The offset of the end of the innermost document that is being parsed.
    private var limit: Int

    init(_ bytes: [UInt8]) { (self.bytes, limit) = (bytes, bytes.count) }

    private func failure(_ reason: String) -> BSONBytesError { BSONBytesError(at: position, reason) }

    // MARK: - Documents

    /// Parses the document that starts at `position`; `depth` is the number of documents and arrays around it.
    mutating func document(depth: Int) throws(BSONBytesError) -> MongoDocument {
        var document = MongoDocument()
        try elements(depth: depth) { (name, value) in document.append(name, value) }
        return document
    }

    private mutating func array(depth: Int) throws(BSONBytesError) -> BSON {
        var items: [BSON] = []
        try elements(depth: depth) { (_, value) in items.append(value) }
        return .array(items)
    }

    private mutating func elements(depth: Int, _ body: (String, BSON) -> Void) throws(BSONBytesError) {
        guard depth < JSONB.maximumDepth else {
            throw failure("documents and arrays are nested deeper than \(JSONB.maximumDepth) levels")
        }
        let (start, outer) = (position, limit)
        let length = try int32()
        guard length >= 5, Int(length) <= limit - start else {
            throw failure("a document's length is below 5, or exceeds the remaining bytes")
        }
        limit = start + Int(length) - 1
        guard bytes[limit] == 0 else { throw failure("a document doesn't end with a null byte where its length says") }
        while position < limit {
            let type = bytes[position]
            position += 1
            let name = try nullTerminated()
            body(name, try value(of: type, depth: depth + 1))
        }
        guard position == limit else { throw failure("a value exceeds its document") }
        position += 1
        limit = outer
    }

    // MARK: - Values

    private mutating func value(of type: UInt8, depth: Int) throws(BSONBytesError) -> BSON {
        guard let type = type == 0xFF ? .minKey : BSONType(rawValue: Int(type)) else {
            throw failure("a value has a type that BSON doesn't define")
        }
        switch type {
        case .document: return .document(try document(depth: depth))
        case .array: return try array(depth: depth)
        case .string: return .string(try string())
        case .code: return .code(try string())
        case .symbol: return .symbol(try string())
        case .codeWithScope: return try codeWithScope(depth: depth)
        case .binary: return .binary(try binary())
        case .regex: return .regex(Regex(try nullTerminated(), options: try nullTerminated()))
        case .dbPointer: return .dbPointer(DBPointer(try string(), try objectID()))
        default: return try scalar(type)
        }
    }

    private mutating func scalar(_ type: BSONType) throws(BSONBytesError) -> BSON {
        switch type {
        case .double: return .double(Double(bitPattern: try uint64()))
        case .objectID: return .objectID(try objectID())
        case .bool: return .bool(try boolean())
        case .datetime: return .datetime(DateTime(milliseconds: Int64(bitPattern: try uint64())))
        case .int32: return .int32(try int32())
        case .int64: return .int64(Int64(bitPattern: try uint64()))
        case .timestamp:
            let value = try uint64()
            return .timestamp(
                Timestamp(
                    seconds: UInt32(truncatingIfNeeded: value >> 32), increment: UInt32(truncatingIfNeeded: value)))
        case .decimal128:
            let low = try uint64()
            return .decimal128(Decimal128(high: try uint64(), low: low))
        case .undefined: return .undefined
        case .minKey: return .minKey
        case .maxKey: return .maxKey
        default: return .null
        }
    }

    private mutating func codeWithScope(depth: Int) throws(BSONBytesError) -> BSON {
        let start = position
        let length = try int32()
        guard length >= 14, Int(length) <= limit - start else {
            throw failure("the length of code with scope is below 14, or exceeds its document")
        }
        let outer = limit
        limit = start + Int(length)
        let (code, scope) = (try string(), try document(depth: depth))
        guard position == limit else { throw failure("code with scope doesn't end where its length says") }
        limit = outer
        return .codeWithScope(code, scope)
    }

    private mutating func binary() throws(BSONBytesError) -> Binary {
        let length = try int32()
        guard length >= 0 else { throw failure("the length of binary data is negative") }
        let subtype = try byte()
        guard subtype == 2 else { return Binary(Array(try take(Int(length))), subtype: subtype) }
        // The deprecated form repeats the length.
        let inner = try int32()
        guard inner >= 0, Int(inner) == Int(length) - 4 else {
            throw failure("the inner length of binary data of subtype 2 isn't the outer length minus 4")
        }
        return Binary(Array(try take(Int(inner))), subtype: subtype)
    }

    private mutating func boolean() throws(BSONBytesError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw failure("a boolean is neither 0 nor 1") }
        return byte == 1
    }

    private mutating func objectID() throws(BSONBytesError) -> ObjectID {
        guard let id = ObjectID(bytes: try take(ObjectID.byteCount)) else { throw failure("expected an ObjectID") }
        return id
    }

    // MARK: - Pieces

    /// Returns the next `count` bytes; throws if they extend beyond the end of the innermost document.
    private mutating func take(_ count: Int) throws(BSONBytesError) -> ArraySlice<UInt8> {
        guard count <= limit - position else { throw failure("a value exceeds its document") }
        position += count
        return bytes[(position - count)..<position]
    }

    private mutating func byte() throws(BSONBytesError) -> UInt8 {
        let place = position
        _ = try take(1)
        return bytes[place]
    }

    private mutating func int32() throws(BSONBytesError) -> Int32 {
        Int32(bitPattern: try take(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    private mutating func uint64() throws(BSONBytesError) -> UInt64 {
        try take(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    private mutating func string() throws(BSONBytesError) -> String {
        let length = try int32()
        guard length >= 1 else { throw failure("a string's length is below 1") }
        let content = try take(Int(length))
        guard content.last == 0 else { throw failure("a string doesn't end in a null byte") }
        return try text(content.dropLast())
    }

    private mutating func nullTerminated() throws(BSONBytesError) -> String {
        guard let end = bytes[position..<limit].firstIndex(of: 0) else {
            throw failure("a name or regular expression doesn't end in a null byte")
        }
        let name = try text(bytes[position..<end])
        position = end + 1
        return name
    }

    private func text(_ utf8: ArraySlice<UInt8>) throws(BSONBytesError) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw failure("a text isn't UTF-8") }
        return text
    }
}

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

    /// Writes a document, or an array, whose names are the indices of its items.
    mutating func write(_ members: some Sequence<MongoDocument.Member>, depth: Int) throws(BSONBytesError) {
        guard depth < JSONB.maximumDepth else {
            throw BSONBytesError(at: 0, "documents and arrays are nested deeper than \(JSONB.maximumDepth) levels")
        }
        let start = begin()
        for member in members { try write(member.key, member.value, depth: depth + 1) }
        bytes.append(0)
        try end(start)
    }

    private mutating func write(_ name: String, _ value: BSON, depth: Int) throws(BSONBytesError) {
        bytes.append(UInt8(truncatingIfNeeded: value.type.rawValue))
        try nullTerminated(name)
        switch value {
        case .document(let document): try write(document, depth: depth)
        case .array(let items):
            try write(items.lazy.enumerated().map { .init(String($0.offset), $0.element) }, depth: depth)
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

/// The error for bytes that aren't BSON, or for a document that BSON can't represent: what is wrong and at which
/// offset, never the content.
public struct BSONBytesError: SealiteError, Sendable, Equatable {
    /// The offset in bytes from the start of the BSON, at which the error was found; 0 for an error that occurs while a
    /// document is written.
    public let offset: Int
    /// A phrase that says what is wrong.
    public let reason: String
    /// The identifier of all errors of this type: `malformed-bson`.
    public var identifier: String { "malformed-bson" }

    /// The reason, followed by the offset in parentheses.
    public var description: String { "\(reason) (byte \(offset))" }

    init(at offset: Int, _ reason: String) { (self.offset, self.reason) = (offset, reason) }
}
