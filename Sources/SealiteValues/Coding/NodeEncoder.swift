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
