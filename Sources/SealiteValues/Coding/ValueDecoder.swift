/// The decoder of one BSON value.
struct ValueDecoder: Decoder {
    let value: BSON
    let codingPath: [any CodingKey]
    private let options: DecodingOptions

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    init(_ value: BSON, _ codingPath: [any CodingKey], _ options: DecodingOptions) {
        (self.value, self.codingPath, self.options) = (value, codingPath, options)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .document(let document) = value else { throw mismatch(MongoDocument.self) }
        return KeyedDecodingContainer(KeyedValueContainer(self, document))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = value else { throw mismatch([BSON].self) }
        return UnkeyedValueContainer(self, items)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }

    /// Returns the decoder of a member or an item, at the coding path extended by `key`.
    func below(_ value: BSON, _ key: some CodingKey) -> ValueDecoder {
        ValueDecoder(value, codingPath + [key], options)
    }

    /// Decodes the BSON value as a type; types that the module doesn't define are first offered to the conversion.
    func read<T: Decodable>(_ type: T.Type) throws -> T {
        if type is any BSONConvertible.Type { return try T(from: self) }
        if let converted = try options.conversion?(type, value) {
            guard let converted = converted as? T else { throw mismatch(type) }
            return converted
        }
        return try T(from: self)
    }

    // MARK: - Values

    /// Returns the error for a BSON value of another type than the requested one: `valueNotFound` for null and
    /// undefined, otherwise `typeMismatch`. It doesn't contain the value.
    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "the value has the BSON type \(value.type.alias)")
        return value.isNil ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Returns the Boolean that the BSON value is; throws for another type.
    func boolean() throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self) }
        return value
    }

    /// Returns the text of a string or symbol; throws for another type.
    func string() throws -> String {
        switch value {
        case .string(let text), .symbol(let text): return text
        default: throw mismatch(String.self)
        }
    }

    /// Returns the double that is equal to the number; throws if there is none, or the BSON value isn't a number.
    func double() throws -> Double {
        switch NumericValue(value) {
        case .double(let number): return number
        case .integer(let number):
            guard let double = Double(exactly: number) else { throw outOfRange(Double.self) }
            return double
        case .decimal(let number):
            guard let double = number.exactDouble else { throw outOfRange(Double.self) }
            return double
        case nil: throw mismatch(Double.self)
        }
    }

    /// Returns the integer of the type `T` that is equal to the number; throws if there is none, or the BSON value
    /// isn't a number.
    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        guard let number = NumericValue(value) else { throw mismatch(type) }
        guard case .integer(let integer) = number.canonical, let converted = T(exactly: integer) else {
            throw outOfRange(type)
        }
        return converted
    }

    private func outOfRange(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "\(type) can't represent the number exactly"))
    }
}
