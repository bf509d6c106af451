/// Makes documents of Codable values.
///
/// The types of this module stay what they are. Integers become int where 32 bits hold them and else long; a number above 64 bits is an error.
public struct BSONEncoder: Sendable {
    /// A conversion of types that neither this module nor the standard library has, such as a date of another module; nil for all others.
    public typealias Conversion = @Sendable (any Encodable) throws -> BSON?

    /// The context that types may look up while they encode themselves.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let conversion: Conversion?

    /// An encoder.
    public init(conversion: Conversion? = nil) { self.conversion = conversion }

    /// Returns the document of a value.
    ///
    /// - Throws: `EncodingError` if the value isn't a document, or has something in it that BSON can't hold.
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

    /// Returns a value of any type as one of BSON.
    public func encodeValue(_ value: some Encodable) throws -> BSON {
        let encoder = NodeEncoder(EncodingNode(), [], EncodingOptions(userInfo: userInfo, conversion: conversion))
        try encoder.write(value)
        return encoder.node.bson
    }
}

/// The state that all encoders of one value share.
struct EncodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONEncoder.Conversion?
}

/// A value that is being made. It is an object because containers of an encoder may be written to by turns.
final class EncodingNode {
    /// The kinds of values: one that is whole, or one whose parts are nodes of their own.
    enum Content {
        case value(BSON)
        case members
        case items
    }

    /// The content of the node; nil until something was written.
    var content: Content?
    private(set) var names: [String] = []
    private(set) var children: [EncodingNode] = []

    /// Adds a member, or gives the one of the name that is there.
    func member(_ name: String) -> EncodingNode {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// Adds an item.
    func item() -> EncodingNode {
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// The value; what wrote nothing is an empty document.
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
    /// The deepest nesting of documents and arrays.
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

    /// The encoder of a node inside this one.
    func below(_ node: EncodingNode, _ key: some CodingKey) -> NodeEncoder {
        NodeEncoder(node, codingPath + [key], options)
    }

    /// Writes any value into the node.
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

    /// Writes an integer of any width.
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
