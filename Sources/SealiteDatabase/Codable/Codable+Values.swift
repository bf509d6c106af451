internal import FoundationEssentials

// Values and blobs may be properties of Codable types. In documents they keep their own types; other coders get the
// form of their JSON.
extension Value: Codable {
    /// Reads any JSON value. An object whose `@type` is `blob` becomes a blob.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = decoder.value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
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
        if let encoder = encoder as? ValueEncoder { return try encoder.encode(self) }
        if case .dictionary(let value) = self {
            var container = encoder.container(keyedBy: IndexKey.self)
            for (key, member) in value.entries { try container.encode(member, forKey: IndexKey(stringValue: key)) }
            return
        }
        var container = encoder.singleValueContainer()
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
