/// A type whose values have a BSON representation: `BSONEncoder` stores it, other encoders write it as Extended JSON.
public protocol BSONConvertible: Codable, Sendable {
    /// The BSON representation of the value.
    var bson: BSON { get }

    /// Creates the value that a BSON value represents; nil if the BSON value doesn't represent a value of this type.
    init?(bson: BSON)
}

extension BSONConvertible {
    /// Encodes the value: as BSON with a `BSONEncoder`, as relaxed Extended JSON with any other encoder.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            encoder.node.content = .value(bson)
        } else {
            try bson.encodeExtendedJSON(to: encoder)
        }
    }

    /// Decodes the value: from BSON with a `BSONDecoder`, from Extended JSON with any other decoder, in which case
    /// whole numbers become integers and members may change their order.
    public init(from decoder: any Decoder) throws {
        let value = try (decoder as? ValueDecoder)?.value ?? BSON(extendedJSONFrom: decoder)
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
