internal import SealiteJSON
internal import SealiteValues

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
        guard let place = try decoder.member(key.stringValue) else { throw decoder.missing(key) }
        guard let value = read(place) else { return try decoder.unread(T.self, key, place) }
        return value
    }

    @inline(__always)
    private func optional<T>(_ key: Key, _ read: (StoredElement) -> T?) throws -> T? {
        guard let place = try decoder.member(key.stringValue), !place.isNull else { return nil }
        guard let value = read(place) else { return try decoder.unread(T.self, key, place) }
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
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try required(key) { $0.integer(type) } }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try required(key) { $0.integer(type) } }

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
        guard let place = try decoder.member(name) else { throw decoder.missing(key) }
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
        guard let place = try decoder.member(key.stringValue) else { throw decoder.missing(key) }
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

/// The items of an array that is being decoded.
struct StoredItems: UnkeyedDecodingContainer {
    private let decoder: StoredDecoder
    private let itemPlan: ValuePlan
    private var offset: Int
    private(set) var currentIndex = 0

    init(decoder: StoredDecoder) {
        (self.decoder, itemPlan, offset) = (decoder, decoder.plan.items, decoder.place.element.start)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? {
        let bytes = decoder.place.bytes
        return decoder.place.element.itemCount(in: bytes.span)
    }
    var isAtEnd: Bool { item == nil }

    /// The next item; nil after the last one and at damaged bytes.
    private var item: StoredElement? {
        let (bytes, end) = (decoder.place.bytes, decoder.place.element.end)
        return JSONBElement(bytes.span, at: offset, limit: end).map { StoredElement(bytes, $0, decoder.api) }
    }

    /// Reads the next item. If it can't be read, the position doesn't change.
    private mutating func next<T>(_ type: T.Type, _ read: (StoredElement, MemberKey) throws -> T) throws -> T {
        guard let item else {
            throw DecodingError.valueNotFound(
                type,
                .init(
                    codingPath: decoder.path(MemberKey(currentIndex)), debugDescription: "the array has no more items"))
        }
        let value = try read(item, MemberKey(currentIndex))
        offset = item.element.end
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard let item, item.isNull else { return false }
        offset = item.element.end
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (decoder, plan) = (decoder, itemPlan)
        return try next(type) { try decoder.read(type, at: $0, plan, $1) }
    }

    private mutating func below() throws -> StoredDecoder {
        let (decoder, plan) = (decoder, itemPlan)
        return try next(StoredDecoder.self) { StoredDecoder($0, plan, below: decoder, $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try below().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try below().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try below() }
}

/// The single-value container of the decoder of stored values.
struct StoredSingle: SingleValueDecodingContainer {
    let decoder: StoredDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    @inline(__always)
    private func value<T>(_ read: (StoredElement) -> T?) throws -> T {
        guard let value = read(decoder.place) else { return try decoder.unread(T.self, nil, decoder.place) }
        return value
    }

    func decodeNil() -> Bool { decoder.place.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try value(\.bool) }
    func decode(_ type: String.Type) throws -> String { try value(\.string) }
    func decode(_ type: Double.Type) throws -> Double { try value(\.double) }
    func decode(_ type: Float.Type) throws -> Float { try value(\.float) }
    func decode(_ type: Int.Type) throws -> Int { try value { $0.integer(type) } }
    func decode(_ type: Int8.Type) throws -> Int8 { try value { $0.integer(type) } }
    func decode(_ type: Int16.Type) throws -> Int16 { try value { $0.integer(type) } }
    func decode(_ type: Int32.Type) throws -> Int32 { try value { $0.integer(type) } }
    func decode(_ type: Int64.Type) throws -> Int64 { try value { $0.integer(type) } }
    func decode(_ type: UInt.Type) throws -> UInt { try value { $0.integer(type) } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value { $0.integer(type) } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value { $0.integer(type) } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value { $0.integer(type) } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value { $0.integer(type) } }
    func decode(_ type: Int128.Type) throws -> Int128 { try value { $0.integer(type) } }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try value { $0.integer(type) } }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.read(type, at: decoder.place, decoder.plan, nil)
    }
}
