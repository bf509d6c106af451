import CSQLite
import SealiteJSON

/// A value of a query as SQL functions get it from SQLite (Documentation/QueryFunctions.md §1).
enum FunctionValue {
    /// MISSING, which is SQL's NULL.
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A finite number as a double.
    case double(Double)
    /// The text of a number that neither a 64-bit integer nor a double can represent exactly.
    case bigNumber(QueryBytes)
    case string(QueryBytes)
    case array(QueryBytes)
    case object(QueryBytes)

    /// Creates the value of an argument of an SQL function. A BLOB that isn't a JSONB element becomes `damaged`, which
    /// is null by default, and an infinite number becomes null.
    @inline(__always)
    init(_ argument: OpaquePointer?, damaged: FunctionValue = .null) {
        switch unsafe sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_value_int64(argument))
        case SQLITE_FLOAT:
            let value = unsafe sqlite3_value_double(argument)
            self = value.isFinite ? .double(value) : .null
        case SQLITE_TEXT:
            guard let start = unsafe sqlite3_value_text(argument) else {
                self = .null
                return
            }
            let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
            self = .string(unsafe QueryBytes(text, JSONBType.text))
        case SQLITE_BLOB:
            guard let start = unsafe sqlite3_value_blob(argument) else {
                self = damaged
                return
            }
            let bytes = unsafe UnsafeBufferPointer(
                start: start.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_value_bytes(argument)))
            self = unsafe Self(whole: bytes) ?? damaged
        default: self = .missing
        }
    }

    /// Creates the value of bytes that are one JSONB element; nil if they aren't. The content of arrays and objects
    /// isn't checked.
    init?(whole bytes: UnsafeBufferPointer<UInt8>) {
        guard let root = JSONBElement(root: unsafe bytes.span), root.end == bytes.count else { return nil }
        unsafe self.init(root, in: bytes)
    }

    /// Creates the value of a JSONB element; nil if its type doesn't occur in bodies, or its digits aren't a number.
    /// The content of arrays and objects isn't checked.
    @inline(__always)
    init?(_ element: JSONBElement, in bytes: UnsafeBufferPointer<UInt8>) {
        let payload = unsafe UnsafeBufferPointer(rebasing: bytes[element.start..<element.end])
        let content = unsafe QueryBytes(payload, element.type)
        switch element.type {
        case JSONBType.text, JSONBType.rawText: self = .string(content)
        case JSONBType.integer, JSONBType.float:
            switch QueryNumber(unsafe payload.span) {
            case .integer(let value): self = .integer(value)
            case .double(let value): self = .double(value)
            case .big: self = .bigNumber(content)
            case nil: return nil
            }
        case JSONBType.array: self = .array(content)
        case JSONBType.object: self = .object(content)
        case JSONBType.true where payload.isEmpty: self = .boolean(true)
        case JSONBType.false where payload.isEmpty: self = .boolean(false)
        case JSONBType.null where payload.isEmpty: self = .null
        default: return nil
        }
    }

    /// A Boolean value that says whether the value is MISSING.
    var isMissing: Bool { if case .missing = self { true } else { false } }
    /// A Boolean value that says whether the value is NULL.
    var isNull: Bool { if case .null = self { true } else { false } }

    /// The value as the nearest double, infinite if no finite double is near; nil if it isn't a number.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .bigNumber(let digits): QueryNumber.nearestDouble(unsafe digits.payload.span)
        default: nil
        }
    }

    /// The value as an integer, if it is an integer, or a double without fraction that 64 bits can represent; nil for
    /// other values.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The text of the value, if it is a string; nil for other types.
    var text: QueryBytes? { if case .string(let text) = self { text } else { nil } }
    /// The payload of the value, if it is an array; nil for other types.
    var array: QueryBytes? { if case .array(let items) = self { items } else { nil } }
    /// The payload of the value, if it is an object; nil for other types.
    var object: QueryBytes? { if case .object(let members) = self { members } else { nil } }
}

extension FunctionValue {
    /// Calls `body` with the value as a JSONB element and the bytes that its range refers to; with nil and no bytes for
    /// MISSING.
    func withElement<Result>(
        _ body: (JSONBElement?, UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        switch self {
        case .missing: try unsafe body(nil, .init(start: nil, count: 0))
        case .null: try unsafe Self.lendEmpty(JSONBType.null, body)
        case .boolean(let value): try unsafe Self.lendEmpty(value ? JSONBType.true : JSONBType.false, body)
        case .integer(let value): try unsafe Self.lend(JSONBType.integer, value.description, body)
        case .double(let value): try unsafe Self.lend(JSONBType.float, value.description, body)
        case .bigNumber(let content), .string(let content), .array(let content), .object(let content):
            try unsafe body(content.element, content.payload)
        }
    }

    private static func lendEmpty<Result>(
        _ type: UInt8, _ body: (JSONBElement?, UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try unsafe body(JSONBElement(type, payload: 0..<0), .init(start: nil, count: 0))
    }

    private static func lend<Result>(
        _ type: UInt8, _ text: String, _ body: (JSONBElement?, UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        var text = text
        return try text.withUTF8 { utf8 in try unsafe body(JSONBElement(type, payload: 0..<utf8.count), utf8) }
    }
}

extension JSONBWriter {
    /// Appends a value as a JSONB element; MISSING becomes null.
    mutating func append(_ value: FunctionValue) {
        switch value {
        case .missing, .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .double(let value): ascii(JSONBType.float, value.description)
        case .string(let text):
            let span = unsafe text.payload.span
            element(Self.stringType(span), span, 0, span.count)
        case .bigNumber(let content), .array(let content), .object(let content):
            element(content.type, unsafe content.payload.span, 0, content.count)
        }
    }

    /// Appends a copy of a JSONB element that was read from the given bytes.
    mutating func append(_ place: JSONBElement, in bytes: borrowing Span<UInt8>) {
        element(place.type, bytes, place.start, place.end)
    }
}
