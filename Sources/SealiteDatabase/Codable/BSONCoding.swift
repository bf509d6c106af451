public import SealiteValues

/// Encodes Codable values as documents.
///
/// MongoDB's types are encoded as what they are, and Foundation's as ``ValueForm`` says. Integers become int if 32 bits
/// can represent them, otherwise long; an integer that a signed 64-bit integer can't represent is an error.
public struct BSONEncoder: Sendable {
    /// A conversion of types that have no stored form of their own; returns nil for a value of a type that it doesn't
    /// convert.
    public typealias Conversion = @Sendable (any Encodable) throws -> BSON?

    /// The context that is available to types while they are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { rules.userInfo }
        set { rules.userInfo = newValue }
    }
    private var rules: CodingRules

    /// Creates an encoder. `form` is the stored form of dates, bytes and UUIDs; `conversion` is asked for values of
    /// types that have no stored form of their own.
    public init(form: ValueForm = .typed, conversion: Conversion? = nil) {
        rules = CodingRules(.mongo, form: form)
        rules.writing = conversion
    }

    /// Returns a value encoded as a document.
    ///
    /// - Throws: `EncodingError` if the value isn't encoded as a document, contains a value that BSON can't represent or
    ///   that would be read as a value of another type, or is nested deeper than 500 levels.
    public func encode(_ value: some Encodable) throws -> MongoDocument {
        let body = try StoredEncoder.encode(value, rules).body
        guard let document = MongoDocument(stored: body) else {
            let name = StoredElement(root: body, .mongo)?.typeName ?? ""
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: [], debugDescription: "the value is encoded as the BSON type \(name), not as a document"
                )
            )
        }
        return document
    }

    /// Returns a value of any type encoded as a BSON value.
    ///
    /// - Throws: `EncodingError` as ``encode(_:)`` does, but for values of all types.
    public func encodeValue(_ value: some Encodable) throws -> BSON {
        StoredElement(root: try StoredEncoder.encode(value, rules).body, .mongo)?.bson ?? .null
    }
}

/// Decodes Codable values from documents.
///
/// A number is decoded as any numeric type that can represent it exactly; if that includes `Double`, it is also decoded
/// as a `Float`, rounded. A symbol is decoded as a string; other types aren't converted. Members that a type doesn't
/// name are ignored.
public struct BSONDecoder: Sendable {
    /// A conversion to types that have no stored form of their own; returns nil for a type that it doesn't convert.
    public typealias Conversion = @Sendable (any Decodable.Type, BSON) throws -> (any Decodable)?

    /// The context that is available to types while they are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { rules.userInfo }
        set { rules.userInfo = newValue }
    }
    private var rules = CodingRules(.mongo)

    /// Creates a decoder; `conversion` is asked for values of types that have no stored form of their own.
    public init(conversion: Conversion? = nil) {
        guard let conversion else { return }
        rules.reading = { type, place in
            guard let value = place.bson, let converted = try conversion(type, value) else { return nil }
            return .some(converted)
        }
    }

    /// Returns a value decoded from a document.
    ///
    /// - Throws: `DecodingError` with the path to the value that can't be decoded.
    public func decode<T: Decodable>(_ type: T.Type, from document: MongoDocument) throws -> T {
        try decode(type, from: .document(document))
    }

    /// Returns a value decoded from a BSON value of any type.
    ///
    /// - Throws: `DecodingError` with the path to the value that can't be decoded.
    public func decode<T: Decodable>(_ type: T.Type, from value: BSON) throws -> T {
        let bytes: [UInt8]
        do throws(StoredValueError) {
            bytes = try value.stored(.nothing)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: error.description))
        }
        return try decode(type, stored: bytes, .none)
    }

    /// Returns a value decoded from the stored body of a document with an `_id`. Of a damaged body only the `_id` is
    /// read.
    package func decode<T: Decodable>(_ type: T.Type, from body: [UInt8], id: BSON) throws -> T {
        try decode(type, stored: body, .value(id))
    }

    private func decode<T: Decodable>(_ type: T.Type, stored bytes: [UInt8], _ id: DecodingContext.ID) throws -> T {
        guard let root = StoredElement(root: bytes, .mongo) ?? StoredElement(root: Document.emptyBody, .mongo) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the body is damaged"))
        }
        return try StoredDecoder.value(type, at: root, DecodingContext(rules, id: id))
    }
}
