internal import SealiteJSON

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

/// The settings of a `BSONEncoder`, which the encoders of all nested values share.
struct EncodingOptions {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let conversion: BSONEncoder.Conversion?
}

/// The encoder that writes a value into one `EncodingNode`.
struct NodeEncoder: Encoder {
    /// The maximum nesting depth of documents and arrays that are encoded.
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

    /// Returns the encoder of a node for a member or an item, at the coding path extended by `key`.
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
                        codingPath: codingPath,
                        debugDescription: "values are nested deeper than \(Self.maximumDepth) levels"))
            }
            try value.encode(to: self)
        }
    }

    /// Encodes an integer of any width into the node; throws if a signed 64-bit integer can't represent it.
    func write(integer value: some FixedWidthInteger) throws {
        guard let integer = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: codingPath, debugDescription: "a signed 64-bit integer can't represent the number"))
        }
        node.content = .value(BSON(integer))
    }
}

/// A value that is being encoded, with nodes for its members or items. It is a class, since the containers of an
/// encoder may be written to alternately.
final class EncodingNode {
    /// The kind of a node's content: a complete value, or child nodes for its members or its items.
    enum Content {
        case value(BSON)
        case members
        case items
    }

    /// The content of the node; nil until something was written.
    var content: Content?
    private(set) var names: [String] = []
    private(set) var children: [EncodingNode] = []
    /// The index of each name in `names`. It is empty while `names` is short, since comparing a few names is faster.
    private var places: [ExactText: Int] = [:]
    private static let shortCount = 16

    /// Returns a new node for the member with a name. It replaces the node of an earlier member with the same name, in
    /// its position; otherwise it is appended.
    func member(_ name: String) -> EncodingNode {
        if let index = index(of: name) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        if names.count > Self.shortCount { places[ExactText(name)] = names.count - 1 }
        return item()
    }

    /// Returns the index of a name in `names`; nil if it isn't there. Takes constant time for many names, so that a
    /// dictionary isn't encoded in quadratic time.
    private func index(of name: String) -> Int? {
        if names.count < Self.shortCount { return names.firstIndex { ExactText.areSame($0, name) } }
        if places.isEmpty { for (index, name) in names.enumerated() { places[ExactText(name)] = index } }
        return places[ExactText(name)]
    }

    /// Appends a node for a new item of an array, and returns it.
    func item() -> EncodingNode {
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// The value that was encoded into the node; an empty document if nothing was.
    var bson: BSON {
        switch content {
        case .value(let value): value
        case .items: .array(children.map(\.bson))
        case .members, nil: .document(MongoDocument(zip(names, children).map { .init($0, $1.bson) }))
        }
    }
}

/// A container of the members of a document that is being encoded.
struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func below(_ key: Key) -> NodeEncoder { encoder.below(encoder.node.member(key.stringValue), key) }

    mutating func encodeNil(forKey key: Key) throws { below(key).node.content = .value(.null) }
    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try below(key).write(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        below(key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        below(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        let key = NameKey(stringValue: "super")
        return encoder.below(encoder.node.member(key.stringValue), key)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder { below(key) }
}

/// A container of the items of an array that is being encoded.
struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.children.count }

    private func next() -> NodeEncoder {
        let key = NameKey(intValue: count)
        return encoder.below(encoder.node.item(), key)
    }

    mutating func encodeNil() throws { next().node.content = .value(.null) }
    mutating func encode(_ value: some Encodable) throws { try next().write(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        next().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { next() }
}

/// A container of a single value that is being encoded.
struct SingleNodeContainer: SingleValueEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.node.content = .value(.null) }
    mutating func encode(_ value: Bool) throws { encoder.node.content = .value(.bool(value)) }
    mutating func encode(_ value: String) throws { encoder.node.content = .value(.string(value)) }
    mutating func encode(_ value: Double) throws { encoder.node.content = .value(.double(value)) }
    mutating func encode(_ value: Float) throws { encoder.node.content = .value(.double(Double(shortest: value))) }
    mutating func encode(_ value: Int) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int8) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int16) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int32) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int64) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: Int128) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt8) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt16) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt32) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt64) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: UInt128) throws { try encoder.write(integer: value) }
    mutating func encode(_ value: some Encodable) throws { try encoder.write(value) }
}

/// A coding key: the name of a document's member, or the index of an array's item.
struct NameKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
