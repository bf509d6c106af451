/// A type whose values have a BSON representation: documents store it, other encoders write it as Extended JSON.
public protocol BSONConvertible: Codable, Sendable {
    /// The BSON representation of the value.
    var bson: BSON { get }

    /// Creates the value that a BSON value represents; nil if the BSON value doesn't represent a value of this type.
    init?(bson: BSON)
}

extension BSONConvertible {
    /// Encodes the value: as BSON in a document, as relaxed Extended JSON with any other encoder.
    public func encode(to encoder: any Encoder) throws {
        guard (encoder as? any BSONCoder)?.hasOwnForms ?? false else {
            return try bson.encodeExtendedJSON(to: encoder)
        }
        var container = encoder.singleValueContainer()
        try container.encode(bson)
    }

    /// Decodes the value: from BSON in a document, from Extended JSON with any other decoder, in which case whole
    /// numbers become integers and members may change their order.
    public init(from decoder: any Decoder) throws {
        let value =
            (decoder as? any BSONCoder)?.hasOwnForms ?? false
            ? try decoder.singleValueContainer().decode(BSON.self) : try BSON(extendedJSONFrom: decoder)
        guard let converted = Self(bson: value) else {
            throw DecodingError.typeMismatch(
                Self.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "the value, of BSON type \(value.type.alias), can't be read as \(Self.self)"))
        }
        self = converted
    }
}

/// An encoder or decoder of documents, whose single-value containers hold values of MongoDB's types as what they are.
package protocol BSONCoder {
    /// A Boolean value that says whether the value that is encoded or decoded may have the form of its own type. It
    /// hasn't if a schema says that it is a list or a dictionary.
    var hasOwnForms: Bool { get }
}

extension BSON: BSONConvertible {
    /// The value itself.
    public var bson: BSON { self }
    /// Creates a copy of a BSON value.
    public init(bson: BSON) { self = bson }
}

extension MongoDocument: BSONConvertible {
    /// The document as a BSON value.
    public var bson: BSON { .document(self) }
    /// Creates the document that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .document(let document) = bson else { return nil }
        self = document
    }
}

extension ObjectID: BSONConvertible {
    /// The ObjectID as a BSON value.
    public var bson: BSON { .objectID(self) }
    /// Creates the ObjectID that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .objectID(let id) = bson else { return nil }
        self = id
    }
}

extension Decimal128: BSONConvertible {
    /// The number as a BSON value.
    public var bson: BSON { .decimal128(self) }
    /// Creates the decimal that a BSON value contains, or a decimal equal to its integer; nil if it has another type,
    /// such as double.
    public init?(bson: BSON) {
        switch bson {
        case .decimal128(let number): self = number
        case .int32(let number): self.init(number)
        case .int64(let number): self.init(number)
        default: return nil
        }
    }
}

extension Binary: BSONConvertible {
    /// The bytes and their subtype as a BSON value.
    public var bson: BSON { .binary(self) }
    /// Creates the bytes and subtype that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .binary(let binary) = bson else { return nil }
        self = binary
    }
}

extension Timestamp: BSONConvertible {
    /// The timestamp as a BSON value.
    public var bson: BSON { .timestamp(self) }
    /// Creates the timestamp that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .timestamp(let timestamp) = bson else { return nil }
        self = timestamp
    }
}

extension DateTime: BSONConvertible {
    /// The point in time as a BSON value.
    public var bson: BSON { .datetime(self) }
    /// Creates the point in time that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .datetime(let date) = bson else { return nil }
        self = date
    }
}

extension Regex: BSONConvertible {
    /// The regular expression as a BSON value.
    public var bson: BSON { .regex(self) }
    /// Creates the regular expression that a BSON value contains; nil if it has another type.
    public init?(bson: BSON) {
        guard case .regex(let regex) = bson else { return nil }
        self = regex
    }
}

// Coding of values as relaxed Extended JSON with encoders and decoders of other formats, such as JSONEncoder.
extension BSON {
    /// Encodes the value as relaxed Extended JSON.
    func encodeExtendedJSON(to encoder: any Encoder) throws {
        if let wrapper = Wrapper.document(of: self, .relaxed) { return try wrapper.encodeMembers(to: encoder) }
        switch self {
        case .document(let document): try document.encodeMembers(to: encoder)
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        case .codeWithScope(let text, let scope):
            let members: MongoDocument = ["$code": .string(text), "$scope": .document(scope)]
            try members.encodeMembers(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .string(let text): try container.encode(text)
        case .int32(let number): try container.encode(number)
        case .int64(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        default: try container.encodeNil()
        }
    }

    /// Decodes a value from canonical or relaxed Extended JSON.
    init(extendedJSONFrom decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberKey.self) {
            var document = MongoDocument()
            for key in container.allKeys {
                document.append(key.stringValue, try container.decode(BSON.self, forKey: key))
            }
            self = document.unwrapped
        } else if var container = try? decoder.unkeyedContainer() {
            var items: [BSON] = []
            while !container.isAtEnd { items.append(try container.decode(BSON.self)) }
            self = .array(items)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> BSON {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let number = try? container.decode(Int64.self) { return BSON(number) }
        if let number = try? container.decode(Double.self) { return .double(number) }
        return .string(try container.decode(String.self))
    }
}

extension MongoDocument {
    fileprivate func encodeMembers(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberKey.self)
        for member in self { try container.encode(member.value, forKey: MemberKey(member.key)) }
    }

    /// The value that the document represents if it is a wrapper of Extended JSON, such as `{"$oid": "…"}`, otherwise
    /// the document. The members of a wrapper may be in any order, since decoders don't preserve it.
    fileprivate var unwrapped: BSON {
        for member in self {
            if let value = Wrapper.reading(of: member.key)?(self) { return value }
        }
        return .document(self)
    }
}

/// A member's name, or an item's index, whose text is created on demand.
package enum MemberKey: CodingKey {
    case name(String)
    case index(Int)

    package init(_ name: String) { self = .name(name) }
    package init(_ index: Int) { self = .index(index) }
    package init(stringValue: String) { self = .name(stringValue) }
    package init(intValue: Int) { self = .index(intValue) }

    package var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    package var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
