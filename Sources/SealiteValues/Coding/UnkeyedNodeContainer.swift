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
