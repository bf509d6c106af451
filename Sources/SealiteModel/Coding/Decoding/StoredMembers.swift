internal import SealiteJSON

/// The members of an object that is being decoded.
struct StoredMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: StoredDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool {
        let name = key.stringValue
        if decoder.find(name) != nil { return true }
        return (try? decoder.member(name)) ?? nil != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder.member(key.stringValue).map(\.isNull) ?? true }

    // MARK: - Values

    @inline(__always)
    private func required<T>(_ key: Key, _ read: (StoredElement) -> T?) throws -> T {
        guard let place = try decoder.member(key.stringValue) else { throw decoder.missing(T.self, key) }
        guard let value = read(place) else { throw decoder.mismatch(T.self, key, place) }
        return value
    }

    @inline(__always)
    private func optional<T>(_ key: Key, _ read: (StoredElement) -> T?) throws -> T? {
        guard let place = try decoder.member(key.stringValue), !place.isNull else { return nil }
        guard let value = read(place) else { throw decoder.mismatch(T.self, key, place) }
        return value
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try required(key, \.bool) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try required(key, \.string) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try required(key, \.double) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try required(key, \.float) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try required(key) { $0.integer(type) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try required(key) { $0.integer(type) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try required(key) { $0.integer(type) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try required(key) { $0.integer(type) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try required(key) { $0.integer(type) } }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key, \.bool) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(key, \.string) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(key, \.double) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(key, \.float) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(key) { $0.integer(type) } }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try optional(key) { $0.integer(type) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try optional(key) { $0.integer(type) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let name = key.stringValue
        guard let place = try decoder.member(name) else { throw decoder.missing(type, key) }
        return try decoder.read(type, at: place, decoder.plan(of: name)?.value ?? decoder.plan.items, key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let name = key.stringValue
        guard let place = try decoder.member(name), !place.isNull else { return nil }
        return try decoder.read(type, at: place, decoder.plan(of: name)?.value ?? decoder.plan.items, key)
    }

    // MARK: - Containers

    /// Returns the decoder for the value of a member.
    private func below(_ key: any CodingKey) throws -> StoredDecoder {
        guard let place = try decoder.member(key.stringValue) else { throw decoder.missing(Any.self, key) }
        return StoredDecoder(
            place, decoder.plan(of: key.stringValue)?.value ?? decoder.plan.items, below: decoder, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try below(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try below(MemberKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }
}
