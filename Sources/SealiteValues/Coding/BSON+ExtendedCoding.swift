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
        if let container = try? decoder.container(keyedBy: NameKey.self) {
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
        var container = encoder.container(keyedBy: NameKey.self)
        for member in self { try container.encode(member.value, forKey: NameKey(stringValue: member.key)) }
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
