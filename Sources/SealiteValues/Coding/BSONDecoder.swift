/// Decodes Codable values from documents.
///
/// A number is decoded as any numeric type that can represent it exactly, and as a `Float` after rounding; other types
/// aren't converted. Members that a type doesn't name are ignored.
public struct BSONDecoder: Sendable {
    /// A conversion to types outside of this module and the standard library, such as another module's date type;
    /// returns nil for all other types.
    public typealias Conversion = @Sendable (any Decodable.Type, BSON) throws -> (any Decodable)?

    /// The context that is available to types while they are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// Creates a decoder; `conversion` is asked first for values of types outside of this module and the standard
    /// library.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

    /// Returns a value decoded from a document.
    ///
    /// - Throws: `DecodingError` with the path to the value that can't be decoded.
    public func decode<T: Decodable>(_ type: T.Type, from document: MongoDocument) throws -> T {
        try decode(type, from: .document(document))
    }

    /// Returns a value decoded from a BSON value of any type, with the errors of the other method.
    public func decode<T: Decodable>(_ type: T.Type, from value: BSON) throws -> T {
        try ValueDecoder(value, [], DecodingOptions(userInfo: userInfo, conversion: conversion)).read(type)
    }
}

extension BSON {
    /// A Boolean value that says whether the value is null or undefined, which optionals decode as nil.
    var isNil: Bool { self == .null || self == .undefined }
}
