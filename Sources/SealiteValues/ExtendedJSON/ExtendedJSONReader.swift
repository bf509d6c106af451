public import SealiteBase
public import SealiteJSON

extension BSON {
    /// Creates a value from a text in Extended JSON v2, canonical, relaxed or mixed.
    ///
    /// A plain number is an integer of 32 or 64 bits if it has neither fraction nor exponent and fits, otherwise a
    /// double.
    ///
    /// - Throws: `ExtendedJSONError`.
    public init(extendedJSON text: String, wrappers: ExtendedJSONWrappers = .strict) throws(ExtendedJSONError) {
        try self.init(extendedJSON: Array(text.utf8), wrappers: wrappers)
    }

    /// Creates a value from a text in UTF-8, by the same rules as from a string.
    public init(extendedJSON utf8: [UInt8], wrappers: ExtendedJSONWrappers = .strict) throws(ExtendedJSONError) {
        var reader = JSONMemberReader<ExtendedJSONError>(utf8, rules: .documents)
        self = try ExtendedJSONReader(wrappers: wrappers).value(&reader)
        try reader.end()
    }
}

extension MongoDocument {
    /// Creates a document from a text in Extended JSON v2, by the same rules as a BSON value.
    public init(extendedJSON text: String, wrappers: ExtendedJSONWrappers = .strict) throws(ExtendedJSONError) {
        guard case .document(let document) = try BSON(extendedJSON: text, wrappers: wrappers) else {
            throw ExtendedJSONError(
                .notADocument, at: 0, "expected a document, but the text is a value of another type")
        }
        self = document
    }
}

/// A parser of Extended JSON; the nesting depth is limited by the JSON reader's rules.
struct ExtendedJSONReader {
    private typealias Reader = JSONMemberReader<ExtendedJSONError>

    let wrappers: ExtendedJSONWrappers

    fileprivate func value(_ reader: inout JSONMemberReader<ExtendedJSONError>) throws(ExtendedJSONError) -> BSON {
        switch try reader.peek() {
        case .null:
            _ = try reader.rawValue()
            return .null
        case .boolean: return .bool(try reader.boolean())
        case .string: return .string(try reader.string())
        case .number: return BSON(jsonNumber: try reader.rawValue())
        case .array: return try array(&reader)
        case .object: return try object(&reader)
        }
    }

    private func array(_ reader: inout Reader) throws(ExtendedJSONError) -> BSON {
        var items: [BSON] = []
        try reader.array(limit: .max) { (reader) throws(ExtendedJSONError) in items.append(try value(&reader)) }
        return .array(items)
    }

    private func object(_ reader: inout Reader) throws(ExtendedJSONError) -> BSON {
        var document = MongoDocument()
        let start = reader.offset
        var isDateOfNumber = false
        try reader.object { (name, reader) throws(ExtendedJSONError) in
            guard !name.utf8.contains(0) else {
                throw ExtendedJSONError(.nullByte, at: reader.offset, "a member's name contains a null byte")
            }
            if name == "$date", try reader.peek() == .number { isDateOfNumber = true }
            document.append(name, try value(&reader))
        }
        guard let name = document.members.first?.key, let reading = Wrapper.reading(of: name) else {
            return .document(document)
        }
        guard !isDateOfNumber, let value = reading(document) else {
            guard wrappers == .strict else { return .document(document) }
            throw ExtendedJSONError(
                .invalidWrapper, at: start,
                "an object that starts with \(name) doesn't have the members or values that Extended JSON requires")
        }
        return value
    }
}

extension BSON {
    /// Creates the value of a number's JSON text: an integer of 32 or 64 bits if it has neither fraction nor exponent
    /// and fits, otherwise a double.
    init(jsonNumber text: ArraySlice<UInt8>) {
        let isInteger = text.allSatisfy { $0 != 0x2E && $0 | 0x20 != 0x65 }
        // "-0" is a double, since integers have no negative zero.
        if isInteger, text.count <= 20, let integer = Int64(String(decoding: text, as: UTF8.self)),
            integer != 0 || text.first != 0x2D
        {
            self = BSON(integer)
        } else {
            self = .double(DoubleText.value(ofJSON: text))
        }
    }
}

/// The error for a text that isn't Extended JSON: what is wrong and at which offset, never the content.
public struct ExtendedJSONError: SealiteError, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The text isn't JSON, or contains an object that has a name twice.
        case malformed
        /// Arrays and objects are nested deeper than 500 levels.
        case tooDeep
        /// An object that starts with a name such as `$oid`, and so represents a value of a type that JSON lacks,
        /// doesn't have the required members or values.
        case invalidWrapper
        /// The name of a member contains a null byte, which BSON can't represent.
        case nullByte
        /// The text contains another value where a document is expected.
        case notADocument
    }

    /// The kind of failure.
    public let code: Code
    /// The offset in bytes from the start of the text, at which the error was found.
    public let offset: Int
    /// A phrase that says what is wrong.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `too-deep`.
    public var identifier: String { Self.identifier(of: code) }

    /// The reason, followed by the offset in parentheses.
    public var description: String { "\(reason) (byte \(offset))" }

    init(_ code: Code, at offset: Int, _ reason: String) {
        (self.code, self.offset, self.reason) = (code, offset, reason)
    }
}

extension ExtendedJSONError: JSONFailure {
    /// Creates the error for an error of the JSON reader: with its offset and reason, and the code `tooDeep` or
    /// `malformed`. The length of the text, `byteCount`, isn't used.
    public init(_ error: JSONError, byteCount: Int) {
        self.init(error.code == .tooDeep ? .tooDeep : .malformed, at: error.offset, error.reason)
    }
}
