public import SealiteBase
internal import SealiteJSON

/// The conversion between a value of MongoDB's `_id` and the text that is the document's ID in the database
/// (Documentation/Values.md §5).
///
/// Two values have the same document ID only if they are equal in MongoDB's order: 1, 1.0 and the decimal 1.00 have one
/// ID.
public enum DocumentKey {
    /// The reason why a value can't be an ID.
    public enum Failure: SealiteError, Sendable, Equatable {
        /// The type isn't allowed for IDs: arrays, regular expressions, undefined and the other deprecated types.
        case refusedType(BSONType)
        /// The value's Extended JSON wouldn't be read back as the same value, usually because a document in the value
        /// has a member such as `$oid` with 24 digits.
        case looksLikeWrapper
        /// The text exceeds the maximum size of a document ID.
        case tooLong(byteCount: Int)

        /// The same as ``reason``.
        public var description: String { reason }
        /// The case's name as lowercase words with hyphens, such as `too-long`.
        public var identifier: String { Self.identifier(of: self) }
        /// The reason, in a sentence without the value.
        public var reason: String {
            switch self {
            case .refusedType(let type): "a value of type \(type.alias) can't be the _id of a document"
            case .looksLikeWrapper:
                "the _id wouldn't be read back as the same value, for example because a document in it has a member such as $oid"
            case .tooLong(let byteCount):
                "the _id is too long: as a document ID it has \(byteCount) bytes, more than \(DocumentKey.maximumByteCount)"
            }
        }
    }

    /// The maximum size of a document ID in bytes.
    public static let maximumByteCount = 240

    /// Returns the document ID of a value of `_id`; throws if the value can't be an ID.
    public static func text(of value: BSON) throws(Failure) -> String {
        let text = try unboundedText(of: value)
        guard text.utf8.count <= maximumByteCount else { throw .tooLong(byteCount: text.utf8.count) }
        return text
    }

    /// Returns the value of `_id` for a document ID. A text in none of the forms that `text(of:)` returns is the ID of
    /// the string with the same text.
    public static func value(of text: String) -> BSON {
        guard text.utf8.first == UInt8(ascii: "$"), let value = read(text),
            let again = try? unboundedText(of: value), ExactText.areSame(again, text)
        else { return .string(text) }
        return value
    }

    /// Returns the document IDs under which a value of `_id` may be stored: its own and, for a string whose own ID has
    /// a prefix such as `$s:` (a string that is empty, contains control characters or starts with `$` or `_`), the
    /// string itself unless it is another value's ID. Other programs may have used the string as a document's ID.
    ///
    /// - Throws: the reason why the value can't be an ID.
    public static func candidates(for value: BSON) throws(Failure) -> [String] {
        let text = try text(of: value)
        guard case .string(let string) = value, !ExactText.areSame(string, text), Self.value(of: string) == value else {
            return [text]
        }
        return [text, string]
    }

    // MARK: - Writing

    private static func unboundedText(of value: BSON) throws(Failure) -> String {
        if let number = NumericValue(value) { return text(of: number) }
        switch value {
        case .string(let string): return text(of: string)
        case .objectID(let id): return "$oid:\(id.hex)"
        case .datetime(let date): return "$d:\(date.milliseconds)"
        case .bool(let value): return value ? "$b:1" : "$b:0"
        case .null: return "$null"
        case .binary(let binary):
            return binary.uuidText.map { "$uuid:\($0)" } ?? "$j:\(value.extendedJSON(.canonical))"
        case .document, .code, .codeWithScope, .timestamp, .minKey, .maxKey:
            return try extendedText(of: value.withCanonicalNumbers)
        default: throw .refusedType(value.type)
        }
    }

    /// Returns the document ID of a value that has no shorter form: `$j:` before its Extended JSON. Throws if that
    /// wouldn't be read back as the same value, since two values could have one ID then.
    private static func extendedText(of value: BSON) throws(Failure) -> String {
        let text = value.extendedJSON(.canonical)
        guard let again = try? BSON(extendedJSON: text), again == value else { throw .looksLikeWrapper }
        return "$j:\(text)"
    }

    /// Returns the document ID of a string: the string itself, unless it is empty, contains control characters or
    /// starts with `$` or `_`. These strings get a prefix: `$j:` before the Extended JSON if there are control
    /// characters, otherwise `$s:`.
    private static func text(of string: String) -> String {
        if string.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return "$j:\(BSON.string(string).extendedJSON(.canonical))"
        }
        let first = string.utf8.first
        let isPlain = first != nil && first != UInt8(ascii: "$") && first != UInt8(ascii: "_")
        return isPlain ? string : "$s:\(string)"
    }

    /// Returns the document ID of a number: `$n:` before the digits of a number that is equal to a 64-bit integer, or
    /// before the shortest text of one that is equal to a double, otherwise `$m:` before the text of the decimal.
    private static func text(of number: NumericValue) -> String {
        switch number.canonical {
        case .integer(let value): "$n:\(value)"
        case .double(let value): "$n:\(DoubleText.text(of: value))"
        case .decimal(let value): "$m:\(value)"
        }
    }

    // MARK: - Reading

    private static func read(_ text: String) -> BSON? {
        if text == "$null" { return .null }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let content = String(text[text.utf8.index(after: colon)...])
        return readings[String(text[..<colon])]?(content)
    }

    private static let readings: [String: @Sendable (String) -> BSON?] = [
        "$s": { .string($0) },
        "$oid": { ObjectID($0).map { .objectID($0) } },
        "$uuid": { Binary(uuid: $0).map { .binary($0) } },
        "$d": { Int64($0).map { .datetime(DateTime(milliseconds: $0)) } },
        "$b": { $0 == "1" ? .bool(true) : $0 == "0" ? .bool(false) : nil },
        "$n": { text in Int64(text).map { BSON($0) } ?? DoubleText.value(of: text).map { .double($0) } },
        "$m": { Decimal128($0).map { .decimal128($0) } },
        "$j": { try? BSON(extendedJSON: $0) },
    ]
}

extension BSON {
    /// The value with each number in the canonical form of all numbers of equal value, and each symbol as a string.
    fileprivate var withCanonicalNumbers: BSON {
        if let number = NumericValue(self) { return BSON(number.canonical) }
        switch self {
        case .document(let document): return .document(document.withCanonicalNumbers)
        case .array(let items): return .array(items.map(\.withCanonicalNumbers))
        case .codeWithScope(let text, let scope): return .codeWithScope(text, scope.withCanonicalNumbers)
        case .symbol(let text): return .string(text)
        default: return self
        }
    }
}

extension MongoDocument {
    fileprivate var withCanonicalNumbers: MongoDocument {
        MongoDocument(members.map { Member($0.key, $0.value.withCanonicalNumbers) })
    }
}
