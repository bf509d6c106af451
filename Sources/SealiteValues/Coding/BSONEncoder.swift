/// Encodes Codable values as documents.
///
/// Types of this module are encoded as their BSON types. Integers become int if 32 bits can represent them, otherwise
/// long; an integer that 64 bits can't represent is an error.
public struct BSONEncoder: Sendable {
    /// A conversion of types outside of this module and the standard library, such as another module's date type;
    /// returns nil for all other types.
    public typealias Conversion = @Sendable (any Encodable) throws -> BSON?

    /// The context that is available to types while they are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// Creates an encoder.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

    /// Returns a value encoded as a document.
    ///
    /// - Throws: `EncodingError` if the value isn't encoded as a document, or contains a value that BSON can't
    ///   represent.
    public func encode(_ value: some Encodable) throws -> MongoDocument {
        let bson = try encodeValue(value)
        guard case .document(let document) = bson else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "the value is no document but \(bson.type.alias)"))
        }
        return document
    }

    /// Returns a value of any type encoded as a BSON value.
    public func encodeValue(_ value: some Encodable) throws -> BSON {
        let encoder = NodeEncoder(EncodingNode(), [], EncodingOptions(userInfo: userInfo, conversion: conversion))
        try encoder.write(value)
        return encoder.node.bson
    }
}

/// The state shared by all encoders of one value.
struct EncodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONEncoder.Conversion?
}

/// A value that is being encoded. It is an object, since the containers of an encoder may be written to alternately.
final class EncodingNode {
    /// The content of a node: a whole value, or parts that are nodes.
    enum Content {
        case value(BSON)
        case members
        case items
    }

    /// The content of the node; nil until something was written.
    var content: Content?
    private(set) var names: [String] = []
    private(set) var children: [EncodingNode] = []

    /// Returns the member with a name, which is added if it doesn't exist.
    func member(_ name: String) -> EncodingNode {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// Returns a new item, which is appended.
    func item() -> EncodingNode {
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// The value; an empty document if nothing was encoded.
    var bson: BSON {
        switch content {
        case .value(let value): value
        case .items: .array(children.map(\.bson))
        case .members, nil: .document(MongoDocument(zip(names, children).map { .init($0, $1.bson) }))
        }
    }
}

/// The encoder of one node.
struct NodeEncoder: Encoder {
    /// The maximum nesting depth of documents and arrays.
    static let maximumDepth = 500

    let node: EncodingNode
    let codingPath: [any CodingKey]
    let options: EncodingOptions

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    init(_ node: EncodingNode, _ codingPath: [any CodingKey], _ options: EncodingOptions) {
        (self.node, self.codingPath, self.options) = (node, codingPath, options)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.content = .members
        return KeyedEncodingContainer(KeyedNodeContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.content = .items
        return UnkeyedNodeContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleNodeContainer(encoder: self) }

    /// Returns the encoder of a nested node.
    func below(_ node: EncodingNode, _ key: some CodingKey) -> NodeEncoder {
        NodeEncoder(node, codingPath + [key], options)
    }

    /// Encodes any value into the node.
    func write(_ value: some Encodable) throws {
        if let value = value as? any BSONConvertible {
            node.content = .value(value.bson)
        } else if let converted = try options.conversion?(value) {
            node.content = .value(converted)
        } else {
            guard codingPath.count < Self.maximumDepth else {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: codingPath, debugDescription: "nested deeper than \(Self.maximumDepth) levels"))
            }
            try value.encode(to: self)
        }
    }

    /// Encodes an integer of any width.
    func write(integer value: some FixedWidthInteger) throws {
        guard let integer = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: codingPath, debugDescription: "64 bits with a sign don't hold the number"))
        }
        node.content = .value(BSON(integer))
    }
}
