/// Makes Codable values of documents.
///
/// A number is read into any type of numbers that holds it exactly; nothing else is converted. Members that a type doesn't name are passed over.
public struct BSONDecoder: Sendable {
    /// A conversion to types that neither this module nor the standard library has, such as a date of another module; nil for all others.
    public typealias Conversion = @Sendable (any Decodable.Type, BSON) throws -> (any Decodable)?

    /// The context that types may look up while they decode themselves.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// A decoder.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

    /// Returns the value of a document.
    ///
    /// - Throws: `DecodingError` with the path to what doesn't fit.
    public func decode<T: Decodable>(_ type: T.Type, from document: MongoDocument) throws -> T {
        try decode(type, from: .document(document))
    }

    /// Returns the value of one of BSON.
    public func decode<T: Decodable>(_ type: T.Type, from value: BSON) throws -> T {
        try ValueDecoder(value, [], DecodingOptions(userInfo: userInfo, conversion: conversion)).read(type)
    }
}

/// The state that all decoders of one value share.
struct DecodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONDecoder.Conversion?
}

/// The decoder of one value.
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

    /// The decoder of a value inside this one.
    func below(_ value: BSON, _ key: some CodingKey) -> ValueDecoder {
        ValueDecoder(value, codingPath + [key], options)
    }

    /// Reads a value of any type.
    func read<T: Decodable>(_ type: T.Type) throws -> T {
        if type is any BSONConvertible.Type { return try T(from: self) }
        if let converted = try options.conversion?(type, value) {
            guard let converted = converted as? T else { throw mismatch(type) }
            return converted
        }
        return try T(from: self)
    }

    // MARK: - Values

    /// The error for a value of a type that doesn't fit; it doesn't tell the value.
    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "a value of type \(value.type.alias) stands there")
        return value.isNil ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The boolean that the value is.
    func boolean() throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self) }
        return value
    }

    /// The text that the value is.
    func string() throws -> String {
        switch value {
        case .string(let text), .symbol(let text): return text
        default: throw mismatch(String.self)
        }
    }

    /// The double that equals the value.
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

    /// The integer that equals the value.
    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        guard let number = NumericValue(value) else { throw mismatch(type) }
        guard case .integer(let integer) = number.canonical, let converted = T(exactly: integer) else {
            throw outOfRange(type)
        }
        return converted
    }

    private func outOfRange(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: "\(type) doesn't hold the number exactly"))
    }
}

extension BSON {
    /// True for null and undefined, which an optional reads as nil.
    var isNil: Bool { self == .null || self == .undefined }
}
