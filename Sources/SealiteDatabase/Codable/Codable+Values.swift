internal import FoundationEssentials
internal import SealiteValues

// Values and blobs may be properties of Codable types. In documents they keep their own types; other coders get the
// form of their JSON.
extension Value: Codable {
    /// Reads any JSON value. An object whose `@type` is `blob` becomes a blob.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (decoder as? StoredDecoder)?.hasOwnForms ?? false {
            self = try container.decode(Value.self)
        } else if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = Value(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = Value(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(Number(value, given: try? container.decode(Decimal.self)))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Value].self) {
            self = .array(ArrayObject(value))
        } else {
            let members = try container.decode([String: Value].self).sorted { $0.key < $1.key }
            let dictionary = DictionaryObject(members.map { ($0.key, $0.value) })
            self = Blob.isBlob(dictionary) ? .blob(Blob(stored: dictionary, database: nil)) : .dictionary(dictionary)
        }
    }

    /// Writes the JSON value.
    ///
    /// - Throws: `EncodingError` for a number that neither an integer of 64 bits nor a double nor a decimal holds
    ///   exactly.
    public func encode(to encoder: any Encoder) throws {
        let isStored = (encoder as? StoredEncoder)?.hasOwnForms ?? false
        if case .dictionary(let value) = self, !isStored {
            var container = encoder.container(keyedBy: MemberKey.self)
            for (key, member) in value.entries { try container.encode(member, forKey: MemberKey(key)) }
            return
        }
        var container = encoder.singleValueContainer()
        if isStored { return try container.encode(self) }
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(Array(value))
        case .dictionary: break
        case .blob(let value): try container.encode(Value.dictionary(value.properties))
        case .number(let value): try value.encode(into: &container, encoder.codingPath)
        }
    }
}

extension DictionaryObject: Codable {
    /// Reads a JSON object, also one that describes a blob.
    public init(from decoder: any Decoder) throws {
        guard let object = try Value(from: decoder).object else {
            throw DecodingError.typeMismatch(
                DictionaryObject.self,
                .init(codingPath: decoder.codingPath, debugDescription: "the value isn't an object"))
        }
        self = object
    }

    /// Writes a JSON object.
    public func encode(to encoder: any Encoder) throws { try Value.dictionary(self).encode(to: encoder) }
}

extension ArrayObject: Codable {
    /// Reads a JSON array.
    public init(from decoder: any Decoder) throws {
        guard case .array(let array) = try Value(from: decoder) else {
            throw DecodingError.typeMismatch(
                ArrayObject.self, .init(codingPath: decoder.codingPath, debugDescription: "the value isn't an array"))
        }
        self = array
    }

    /// Writes a JSON array.
    public func encode(to encoder: any Encoder) throws { try Value.array(self).encode(to: encoder) }
}

extension Blob: Codable {
    /// Reads a blob's description, an object whose `@type` is `blob`, not its content.
    public convenience init(from decoder: any Decoder) throws {
        guard case .blob(let blob) = try Value(from: decoder) else {
            throw DecodingError.typeMismatch(
                Blob.self,
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the value isn't an object that describes a blob, with the @type \"blob\""))
        }
        self.init(copying: blob)
    }

    /// Writes the blob's description, not its content.
    public func encode(to encoder: any Encoder) throws { try Value.blob(self).encode(to: encoder) }
}

// Conversions for coders that know only Swift's number types; a number that no such type holds is refused.
extension Number {
    /// Creates a number from the double that a decoder returned for a JSON number, and from the decimal that it
    /// returned for the same number, if there is one. The decimal is used only if it is more exact than the double.
    init(_ value: Double, given decimal: Decimal?) {
        // Even a decimal may be too small for the number.
        guard let decimal, let exact = Number(json: decimal.description), exact.doubleValue == value,
            !exact.hasValue(of: Number(value))
        else {
            self.init(value)
            return
        }
        self = exact
    }

    /// Writes the number exactly into the container of an encoder that knows only Swift's number types.
    ///
    /// - Throws: `EncodingError` for a number that neither an integer of 64 bits nor a double nor a decimal holds
    ///   exactly.
    func encode(into container: inout any SingleValueEncodingContainer, _ path: [any CodingKey]) throws {
        if let integer = exactInt64 { return try container.encode(integer) }
        if let integer = exactUInt64 { return try container.encode(integer) }
        if case .double(let value) = storage { return try container.encode(value) }
        let nearest = doubleValue
        if nearest.isFinite, hasValue(of: Number(nearest)) { return try container.encode(nearest) }
        if let decimal = exactDecimal { return try container.encode(decimal) }
        throw EncodingError.invalidValue(
            self,
            .init(
                codingPath: path,
                debugDescription: "neither a 64-bit integer nor a Double nor a Decimal holds the number exactly"))
    }
}
