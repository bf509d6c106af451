/// A type whose values BSON has: what a `BSONEncoder` keeps as it is, and other encoders write as Extended JSON.
public protocol BSONConvertible: Codable, Sendable {
    /// The value as one of BSON.
    var bson: BSON { get }

    /// The value of one of BSON; nil if that is of another type.
    init?(bson: BSON)
}

extension BSONConvertible {
    /// Writes the value: as it is into a `BSONEncoder`, as relaxed Extended JSON into any other encoder.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            encoder.node.content = .value(bson)
        } else {
            try bson.encodeExtendedJSON(to: encoder)
        }
    }

    /// Reads the value: as it is from a `BSONDecoder`, from Extended JSON out of any other decoder, where whole numbers become integers and members may
    /// come in another order.
    public init(from decoder: any Decoder) throws {
        let value = try (decoder as? ValueDecoder)?.value ?? BSON(extendedJSONFrom: decoder)
        guard let converted = Self(bson: value) else {
            throw DecodingError.typeMismatch(
                Self.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "a value of type \(value.type.alias) stands there"
                ))
        }
        self = converted
    }
}

extension BSON: BSONConvertible {
    /// The value itself.
    public var bson: BSON { self }
    /// The value itself.
    public init(bson: BSON) { self = bson }
}

extension MongoDocument: BSONConvertible {
    /// The document as a value.
    public var bson: BSON { .document(self) }
    /// The document of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .document(let document) = bson else { return nil }
        self = document
    }
}

extension ObjectID: BSONConvertible {
    /// The ObjectID as a value.
    public var bson: BSON { .objectID(self) }
    /// The ObjectID of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .objectID(let id) = bson else { return nil }
        self = id
    }
}

extension Decimal128: BSONConvertible {
    /// The number as a value.
    public var bson: BSON { .decimal128(self) }
    /// The decimal of a value, or an integer as a decimal; nil if the value is of another type.
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
    /// The bytes as a value.
    public var bson: BSON { .binary(self) }
    /// The bytes of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .binary(let binary) = bson else { return nil }
        self = binary
    }
}

extension Timestamp: BSONConvertible {
    /// The timestamp as a value.
    public var bson: BSON { .timestamp(self) }
    /// The timestamp of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .timestamp(let timestamp) = bson else { return nil }
        self = timestamp
    }
}

extension DateTime: BSONConvertible {
    /// The time as a value.
    public var bson: BSON { .datetime(self) }
    /// The time of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .datetime(let date) = bson else { return nil }
        self = date
    }
}

extension Regex: BSONConvertible {
    /// The regular expression as a value.
    public var bson: BSON { .regex(self) }
    /// The regular expression of a value; nil if that is of another type.
    public init?(bson: BSON) {
        guard case .regex(let regex) = bson else { return nil }
        self = regex
    }
}
