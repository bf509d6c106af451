internal import SealiteJSON

/// The items of an array that is being encoded.
struct WrittenItems: UnkeyedEncodingContainer {
    private let encoder: StoredEncoder
    private let itemPlan: ValuePlan

    init(encoder: StoredEncoder) { (self.encoder, itemPlan) = (encoder, encoder.plan.items) }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    mutating func encodeNil() throws {
        try encoder.beginItem()
        encoder.output.writer.null()
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let key = MemberKey(encoder.count)
        try encoder.beginItem()
        try encoder.writeBegun(value, itemPlan, key)
    }

    private func part() -> StoredEncoder {
        let key = MemberKey(encoder.count)
        do {
            try encoder.beginItem()
            return encoder.part(itemPlan, key)
        } catch {
            return encoder.failedPart(error, key)
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        part().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { part() }
}
