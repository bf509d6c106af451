/// Encodes Codable values as documents.
///
/// Types of this module are encoded as their BSON types. Integers become int if 32 bits can represent them, otherwise
/// long; an integer that a signed 64-bit integer can't represent is an error.
public struct BSONEncoder: Sendable {
    /// A conversion of types outside of this module, such as another module's date type; returns nil for a value of a
    /// type that it doesn't convert, such as the types of the standard library.
    public typealias Conversion = @Sendable (any Encodable) throws -> BSON?

    /// The context that is available to types while they are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// Creates an encoder; `conversion` is asked first for values of all types but this module's.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

    /// Returns a value encoded as a document.
    ///
    /// - Throws: `EncodingError` if the value isn't encoded as a document, contains a value that BSON can't represent,
    ///   or is nested deeper than 500 levels.
    public func encode(_ value: some Encodable) throws -> MongoDocument {
        let bson = try encodeValue(value)
        guard case .document(let document) = bson else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "the value is encoded as the BSON type \(bson.type.alias), not as a document"))
        }
        return document
    }

    /// Returns a value of any type encoded as a BSON value.
    ///
    /// - Throws: `EncodingError` if the value contains one that BSON can't represent, or is nested deeper than 500
    ///   levels.
    public func encodeValue(_ value: some Encodable) throws -> BSON {
        let encoder = NodeEncoder(EncodingNode(), [], EncodingOptions(userInfo: userInfo, conversion: conversion))
        try encoder.write(value)
        return encoder.node.bson
    }
}
