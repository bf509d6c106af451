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
    mutating func encode(_ value: Float) throws { encoder.node.content = .value(.double(Double(value))) }
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
