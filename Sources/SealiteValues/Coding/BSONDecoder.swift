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
        try ValueDecoder(value, [], DecodingOptions(userInfo: userInfo, conversion: conversion)).read(type)
    }
}

extension BSON {
    /// A Boolean value that says whether the value is null or undefined, which optionals decode as nil.
    var isNil: Bool { self == .null || self == .undefined }
}
