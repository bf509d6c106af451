internal import SealiteJSON

/// The members of an object that is being encoded. Members that are nil are omitted.
struct WrittenMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StoredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Does nothing: a member that is nil isn't written, even if the type asks for it.
    mutating func encodeNil(forKey key: Key) throws {}

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.writer.boolean(value)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.writer.string(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.write(value)
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.write(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.writer.integer(Int64(value))
    }

    mutating func encode(_ value: Int8, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try encode(Int(value), forKey: key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try encode(Int(value), forKey: key) }

    mutating func encode(_ value: UInt, forKey key: Key) throws {
        try encode(try encoder.integer(value, key), forKey: key)
    }

    mutating func encode(_ value: UInt64, forKey key: Key) throws {
        try encode(try encoder.integer(value, key), forKey: key)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        guard let plan = try encoder.begin(key) else { return }
        try encoder.writeBegun(value, plan, key)
    }

    // MARK: - Containers

    private func part(_ key: any CodingKey) -> StoredEncoder {
        do {
            // The document's ID isn't in the body.
            guard let plan = try encoder.begin(MemberKey(key.stringValue)) else { return encoder.discardedPart(key) }
            return encoder.part(plan, key)
        } catch {
            return encoder.failedPart(error, key)
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        part(key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        part(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { part(MemberKey("super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { part(key) }
}

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

/// The single-value container of the encoder of stored values.
struct WrittenSingle: SingleValueEncodingContainer {
    let encoder: StoredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws {
        try encoder.beginSingle()
        encoder.output.writer.null()
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try encoder.beginSingle()
        try encoder.writeBegun(value, encoder.plan, MemberKey(""))
    }
}
