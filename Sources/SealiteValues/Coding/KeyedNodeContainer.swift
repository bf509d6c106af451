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
