internal import SealiteJSON
internal import SealiteValues

/// The members of an object that is being encoded.
struct WrittenMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StoredEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Writes null; for models nothing, because a member of theirs that is nil isn't written, even if the type asks for
    /// it.
    mutating func encodeNil(forKey key: Key) throws {
        guard encoder.api != .models, try encoder.begin(key) != nil else { return }
        encoder.output.writer.null()
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.writer.boolean(value)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        guard try encoder.begin(key) != nil else { return }
        encoder.output.writer.string(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        guard value.isFinite else { return try encode(any: value, forKey: key) }
        guard try encoder.begin(key) != nil else { return }
        encoder.output.write(finite: value)
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        guard value.isFinite else { return try encode(any: Double(value), forKey: key) }
        guard try encoder.begin(key) != nil else { return }
        encoder.output.write(finite: value)
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

    mutating func encode(_ value: UInt, forKey key: Key) throws { try encode(UInt64(value), forKey: key) }

    mutating func encode(_ value: UInt64, forKey key: Key) throws {
        guard let integer = Int(exactly: value) else { return try encode(any: value, forKey: key) }
        try encode(integer, forKey: key)
    }

    mutating func encode(_ value: Int128, forKey key: Key) throws { try encode(any: value, forKey: key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try encode(any: value, forKey: key) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encode(any: value, forKey: key) }

    private func encode<T: Encodable>(any value: T, forKey key: Key) throws {
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

    mutating func encode(_ value: Int128) throws { try encode(any: value) }
    mutating func encode(_ value: UInt128) throws { try encode(any: value) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encode(any: value) }

    private func encode<T: Encodable>(any value: T) throws {
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

    mutating func encode(_ value: Int128) throws { try encode(any: value) }
    mutating func encode(_ value: UInt128) throws { try encode(any: value) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encode(any: value) }

    private func encode<T: Encodable>(any value: T) throws {
        try encoder.beginSingle()
        try encoder.writeBegun(value, encoder.plan, nil)
    }
}
