internal import SealiteJSON

/// Decodes Codable values from documents.
///
/// A number is decoded as any numeric type that can represent it exactly; if that includes `Double`, it is also decoded
/// as a `Float`, rounded. A symbol is decoded as a string; other types aren't converted. Members that a type doesn't
/// name are ignored.
public struct BSONDecoder: Sendable {
    /// A conversion to types outside of this module, such as another module's date type; returns nil for a type that it
    /// doesn't convert, such as the types of the standard library.
    public typealias Conversion = @Sendable (any Decodable.Type, BSON) throws -> (any Decodable)?

    /// The context that is available to types while they are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// Creates a decoder; `conversion` is asked first for values of all types but this module's.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

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
        try BSONValueDecoder(value, [], DecodingOptions(userInfo: userInfo, conversion: conversion)).read(type)
    }
}

extension BSON {
    /// A Boolean value that says whether the value is null or undefined, which optionals decode as nil.
    var isNil: Bool { self == .null || self == .undefined }
}

/// The settings of a `BSONDecoder`, which the decoders of all nested values share.
struct DecodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONDecoder.Conversion?
}

/// The decoder of one BSON value.
struct BSONValueDecoder: Decoder {
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
    func below(_ value: BSON, _ key: some CodingKey) -> BSONValueDecoder {
        BSONValueDecoder(value, codingPath + [key], options)
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

/// A container of the members of a document that is being decoded.
struct KeyedValueContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: BSONValueDecoder
    private let document: MongoDocument
    /// The index of each member by its name; if a name occurs twice, the index of the first member with it.
    private let places: [ExactText: Int]

    init(_ decoder: BSONValueDecoder, _ document: MongoDocument) {
        (self.decoder, self.document) = (decoder, document)
        places = Dictionary(
            document.members.enumerated().map { (ExactText($1.key), $0) }, uniquingKeysWith: { first, _ in first })
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { document.keys.compactMap { Key(stringValue: $0) } }

    private func value(_ name: String) -> BSON? {
        places[ExactText(name)].map { document.members[$0].value }
    }

    private func below(_ key: some CodingKey) throws -> BSONValueDecoder {
        guard let value = value(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: "the document has no such member"))
        }
        return decoder.below(value, key)
    }

    func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { value(key.stringValue).map(\.isNil) ?? true }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try below(key).read(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try below(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try below(NameKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }
}

/// A container of the items of an array that is being decoded.
struct UnkeyedValueContainer: UnkeyedDecodingContainer {
    let decoder: BSONValueDecoder
    private let items: [BSON]
    private(set) var currentIndex = 0

    init(_ decoder: BSONValueDecoder, _ items: [BSON]) { (self.decoder, self.items) = (decoder, items) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    /// Decodes the next item; on an error the position doesn't change.
    private mutating func next<T>(_ type: T.Type, _ body: (BSONValueDecoder) throws -> T) throws -> T {
        let key = NameKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(codingPath: codingPath + [key], debugDescription: "the array has no more items"))
        }
        let value = try body(decoder.below(items[currentIndex], key))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.read(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next(KeyedDecodingContainer<NestedKey>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}

/// A container of a single value that is being decoded.
struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: BSONValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNil }
    func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
    func decode(_ type: String.Type) throws -> String { try decoder.string() }
    func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
    func decode(_ type: Float.Type) throws -> Float { Float(try decoder.double()) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.read(type) }
}
